//! Rules of the tree that a reader could only check by reading all of it.

use std::path::{Path, PathBuf};

/// Folders that must give the same bytes on every platform and thread count.
const CORE: &[&str] = &[
    "hash", "keys", "traffic", "strategy", "preset", "cluster", "sim", "metrics", "analysis",
    "remedy", "scenario", "charts", "report", "timeline",
];

/// Of these, the ones that may write clocks or read the environment: none. Words that no core file
/// may use outside its tests, and what to use instead.
const BANNED: &[(&str, &str)] = &[
    ("HashMap", "iteration order differs from run to run; use BTreeMap or a sorted Vec"),
    ("HashSet", "iteration order differs from run to run; use BTreeSet or a sorted Vec"),
    ("Instant", "the core reads no clock"),
    ("SystemTime", "the core reads no clock"),
    ("std::env::", "the core reads no environment"),
    ("thread_rng", "randomness comes from rng::Stream"),
    ("rand::rng", "randomness comes from rng::Stream"),
    ("DefaultHasher", "std's hash is not stable"),
    ("RandomState", "std's hash is not stable"),
    (".powf(", "libm::pow"),
    (".powi(", "libm::pow, or multiply"),
    (".sqrt(", "libm::sqrt"),
    (".exp(", "libm::exp"),
    (".exp2(", "libm::exp2"),
    (".ln(", "libm::log"),
    (".ln_1p(", "libm::log1p"),
    (".log2(", "libm::log2"),
    (".log10(", "libm::log10"),
    (".sin(", "libm::sin"),
    (".cos(", "libm::cos"),
    (".floor(", "libm::floor"),
    (".ceil(", "libm::ceil"),
    (".round(", "libm::round"),
    (".trunc(", "libm::trunc"),
    (".mul_add(", "separate operations, which round alike everywhere"),
    (".cbrt(", "libm::cbrt"),
    (".tanh(", "libm::tanh"),
];

/// Longest source file, in lines.
const MAX_LINES: usize = 500;

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folders: &[&str]) -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    for folder in folders {
        files(&root().join(folder), "rs", &mut paths);
    }
    paths.into_iter().map(|p| (p.clone(), std::fs::read_to_string(&p).unwrap())).collect()
}

/// The lines that ship: not comments, not the tests at a file's end.
fn shipped(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    text[..end].lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
}

fn violations(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in shipped(text) {
        for (word, instead) in BANNED {
            if line.contains(word) {
                found.push(format!("{}: `{word}`: {instead}", number + 1));
            }
        }
    }
    found
}

#[test]
fn the_core_is_deterministic() {
    let folders: Vec<String> = CORE.iter().map(|f| format!("src/{f}")).collect();
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    let mut all = Vec::new();
    for (path, text) in sources(&folders) {
        if path.file_name().is_some_and(|name| name == "fixtures.rs" || name == "tests.rs") {
            continue;
        }
        all.extend(violations(&text).into_iter().map(|v| format!("{}:{v}", path.display())));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn the_rule_sees_a_violation() {
    assert_eq!(violations("let x = y.powf(2.0);\n// z.powf(1.0)\n").len(), 1);
    assert_eq!(violations("#[cfg(test)]\nmod tests {\n let x = y.powf(2.0);\n}\n").len(), 0);
}

#[test]
fn files_are_short() {
    let long: Vec<String> = sources(&["src", "tests", "benches"])
        .into_iter()
        .filter(|(_, text)| text.lines().count() > MAX_LINES)
        .map(|(path, text)| format!("{} has {} lines", path.display(), text.lines().count()))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn strategy_files_have_the_same_headings() {
    let wanted =
        ["Idea", "Source", "Cost", "Choices made where the source is silent", "Checked against"];
    let mut missing = Vec::new();
    for (path, text) in sources(&["src/strategy"]) {
        if !text.contains("pub static INFO: StrategyInfo") {
            continue;
        }
        let header: String = text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .map(|l| format!("{l}\n"))
            .collect();
        for heading in wanted {
            if !header.contains(&format!("//! # {heading}\n")) {
                missing.push(format!("{}: no heading `# {heading}`", path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn main_stays_thin() {
    let main = std::fs::read_to_string(root().join("src/main.rs")).unwrap();
    assert!(main.lines().count() < 60);
}

/// All committed reports together, in bytes. `nodes.csv` is written beside them and not committed.
const MAX_REPORTS: u64 = 10_000_000;

#[test]
fn committed_reports_are_small() {
    let mut found = Vec::new();
    for extension in ["json", "csv", "svg", "md", "html"] {
        files(&root().join("reports"), extension, &mut found);
    }
    found.retain(|path| path.file_name().is_some_and(|name| name != "nodes.csv"));
    let bytes: u64 = found.iter().map(|path| path.metadata().unwrap().len()).sum();
    assert!(found.len() > 100, "{} files", found.len());
    assert!(bytes < MAX_REPORTS, "the committed reports have {bytes} bytes");
}
