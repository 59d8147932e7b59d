//! The committed JSON Schema is the one that the declarations give.

#[test]
fn the_committed_schema_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schema/scenario.json");
    let fresh = serde_json::to_string_pretty(&shardlab::scenario::schema()).unwrap() + "\n";
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    if committed != fresh {
        let written = format!("{}/scenario.json", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&written, &fresh).unwrap();
        panic!(
            "schema/scenario.json is stale: copy {written} over it, or write it with `shardlab schema`"
        );
    }
}
