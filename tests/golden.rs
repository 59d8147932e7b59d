//! Golden files: three tiny scenarios with their record, CSV and first chart, byte for byte. A change
//! that alters what a run writes shows here; `SHARDLAB_BLESS=1 cargo test --test golden` accepts it.

mod common;

use std::path::Path;

use common::{run_on, scenario};
use shardlab::{charts, report};

const TINY: [&str; 3] = ["tiny-growth", "tiny-traffic", "tiny-outcomes"];

#[test]
fn tiny_scenarios_write_what_is_committed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut differing = Vec::new();
    for name in TINY {
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).unwrap();
        let record = run_on(&scenario(&text), 2);
        let write = |format: &str| (report::find(format).unwrap().write)(&record);
        let (stem, svg) = charts::draw_all(&record).into_iter().next().expect("a chart");
        let files = [
            ("record.json".to_string(), write("json")),
            ("results.csv".to_string(), write("csv")),
            (format!("{stem}.svg"), svg.into_bytes()),
        ];
        for (file, bytes) in files {
            let path = folder.join(name).join(file);
            if std::env::var_os("SHARDLAB_BLESS").is_some() {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, bytes).unwrap();
            } else if std::fs::read(&path).ok().as_ref() != Some(&bytes) {
                differing.push(path.display().to_string());
            }
        }
    }
    assert!(
        differing.is_empty(),
        "these differ; if they should, run SHARDLAB_BLESS=1 cargo test --test golden: {differing:#?}"
    );
}
