//! The README's tables are those of the binary. `SHARDLAB_BLESS=1 cargo test --test readme` writes
//! them anew.

use std::path::Path;

#[test]
fn the_readme_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("README.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let ledger = std::fs::read_to_string(root.join("reports/claims/ledger.csv")).unwrap();
    let claims = shardlab::report::claims::brief(&ledger).unwrap();
    let fresh = shardlab::report::readme::splice(&text, &[("claims", claims)]).unwrap();
    if std::env::var_os("SHARDLAB_BLESS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    } else {
        assert!(text == fresh, "README.md is stale: run SHARDLAB_BLESS=1 cargo test --test readme");
    }
    for kind in ["strategies", "presets", "hashers", "keys", "traffic", "remedies", "claims"] {
        assert!(text.contains(&format!("<!-- begin {kind} -->")), "the table of {kind} is gone");
    }
}
