//! Writing a run's files: all or nothing, and never over a good result with half of a new one.

use std::fs;
use std::io::{ErrorKind as Io, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::{ALL, Written};
use crate::error::Error;

/// Name of the file that measured times go to.
pub const TIMINGS: &str = "timings.json";

/// Fails if files could not be written to the folder later. Leaves nothing behind: a folder that is
/// not there yet is tried where it would be made.
pub fn ensure_writable(dir: &Path) -> Result<(), Error> {
    let place = dir.ancestors().find(|a| a.as_os_str().is_empty() || a.exists());
    let place = match place {
        Some(place) if !place.as_os_str().is_empty() => place,
        _ => Path::new("."),
    };
    let probe = place.join(format!(".shardlab-probe-{}", std::process::id()));
    let tried = fs::File::create(&probe);
    let _ = fs::remove_file(&probe);
    tried.map(drop).map_err(|cause| refused(dir, place, &cause))
}

fn refused(dir: &Path, place: &Path, cause: &std::io::Error) -> Error {
    let error = Error::io(format!("cannot write to the folder `{}`", dir.display()), cause);
    match cause.kind() {
        Io::NotADirectory => error.help(format!("`{}` is a file", place.display())),
        _ => error,
    }
    .help("choose another folder with --out")
}

/// Writes the files under temporary names and renames them when all are there; then removes what an
/// earlier run left that this one no longer makes (files that carry its marks), and tells what that
/// was. On an error nothing is renamed, and folders that were made for the files are gone again.
pub fn publish(dir: &Path, files: &[(String, Vec<u8>)]) -> Result<Vec<String>, Error> {
    // Found out before this run's own record stands there.
    let holds_run = holds_run(dir);
    let made: Vec<&Path> =
        dir.ancestors().take_while(|a| !a.as_os_str().is_empty() && !a.exists()).collect();
    let mut written: Vec<(PathBuf, PathBuf)> = Vec::new();
    let result = fs::create_dir_all(dir)
        .map_err(|cause| refused(dir, dir, &cause))
        .and_then(|()| write_all(dir, files, &mut written));
    if let Err(error) = result {
        for (temporary, _) in &written {
            let _ = fs::remove_file(temporary);
        }
        // Only an empty folder can be removed so.
        for folder in made {
            let _ = fs::remove_dir(folder);
        }
        return Err(error);
    }
    remove_stale(dir, files, holds_run)
}

/// Writes one file under a temporary name and renames it when it is whole.
pub fn write_one(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|cause| {
        let _ = fs::remove_file(&temporary);
        Error::io(format!("cannot write `{}`", path.display()), &cause)
    })
}

fn write_all(
    dir: &Path,
    files: &[(String, Vec<u8>)],
    written: &mut Vec<(PathBuf, PathBuf)>,
) -> Result<(), Error> {
    let failed = |path: &Path, cause: &std::io::Error| {
        Error::io(format!("cannot write `{}`", path.display()), cause)
    };
    for (name, bytes) in files {
        assert!(Path::new(name).file_name().is_some_and(|f| f == name.as_str()), "a bare name");
        let path = dir.join(name);
        let temporary = dir.join(format!(".{name}.{}.tmp", std::process::id()));
        written.push((temporary.clone(), path.clone()));
        fs::File::create(&temporary)
            .and_then(|mut file| file.write_all(bytes))
            .map_err(|cause| failed(&path, &cause))?;
        // A rename cannot replace a folder: found out before the first file is in place.
        if path.is_dir() {
            return Err(Error::new(
                crate::error::ErrorKind::Io,
                format!("cannot write `{}`: it is a folder", path.display()),
            ));
        }
    }
    for (temporary, path) in written.iter() {
        fs::rename(temporary, path).map_err(|cause| failed(path, &cause))?;
    }
    Ok(())
}

fn remove_stale(
    dir: &Path,
    files: &[(String, Vec<u8>)],
    holds_run: bool,
) -> Result<Vec<String>, Error> {
    let failed = |cause: std::io::Error| {
        Error::io(format!("cannot tidy the folder `{}`", dir.display()), &cause)
    };
    let mut removed = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let Some(name) = name.to_str() else { continue };
        if files.iter().all(|(new, _)| new != name) && is_ours(dir, name, holds_run) {
            fs::remove_file(dir.join(name)).map_err(failed)?;
            removed.push(name.to_string());
        }
    }
    removed.sort();
    Ok(removed)
}

/// Whether a run has left its record in the folder.
fn holds_run(dir: &Path) -> bool {
    let schema = crate::record::SCHEMA.split('/').next().unwrap_or_default();
    begins_with(&dir.join("record.json"), &format!("\"schema\": \"{schema}/"))
}

/// Whether a run has written that file: in the folder of a run (`holds_run`) a report or the timings,
/// and anywhere an SVG that is called after a kind of chart and has its own name inside.
fn is_ours(dir: &Path, name: &str, holds_run: bool) -> bool {
    if name == TIMINGS || ALL.iter().any(|r| r.written != Written::Never && r.file == name) {
        return holds_run;
    }
    if super::plan::is_file(name) || super::advice::is_file(name) {
        return holds_run;
    }
    let Some(stem) = name.strip_suffix(".svg") else { return false };
    crate::charts::ALL.iter().any(|chart| stem.starts_with(chart.name))
        && begins_with(&dir.join(name), &format!("aria-labelledby=\"{stem}-title {stem}-desc\""))
}

/// Whether a text stands in the first bytes of a file; false if the file cannot be read.
fn begins_with(path: &Path, text: &str) -> bool {
    const FIRST_BYTES: u64 = 1024;
    let mut bytes = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(FIRST_BYTES).read_to_end(&mut bytes));
    read.is_ok() && String::from_utf8_lossy(&bytes).contains(text)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn file(name: &str, text: &str) -> (String, Vec<u8>) {
        (name.to_string(), text.as_bytes().to_vec())
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn files_appear_whole_and_stale_ones_go() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("a/b");
        ensure_writable(&dir).unwrap();
        assert!(!dir.exists(), "the check makes nothing");
        let (record, charts) = (sample::record(), crate::charts::draw_all(&sample::record()));
        let mut files = crate::report::files(&record, true);
        files.extend(charts.iter().map(|(stem, svg)| file(&format!("{stem}.svg"), svg)));
        assert!(publish(&dir, &files).unwrap().is_empty());
        // What is somebody else's stays, whatever its name.
        let mine = format!("{}-mine.svg", crate::charts::ALL[0].name);
        fs::write(dir.join(&mine), &charts[0].1).unwrap();
        fs::write(dir.join("summary.md"), "x").unwrap();
        let removed = publish(&dir, &crate::report::files(&record, false)).unwrap();
        let mut gone: Vec<String> = charts.iter().map(|(stem, _)| format!("{stem}.svg")).collect();
        gone.push("movement.csv".to_string());
        gone.sort();
        assert_eq!(removed, gone);
        let mut left = vec![mine, "nodes.csv".into(), "record.json".into(), "results.csv".into()];
        left.push("summary.md".into());
        left.sort();
        assert_eq!(names(&dir), left);
    }

    #[test]
    fn a_folder_that_no_run_has_filled_keeps_its_files() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["movement.csv", "timings.json", "balance-by-cell.svg"] {
            fs::write(temp.path().join(name), "mine").unwrap();
        }
        assert!(publish(temp.path(), &[file("record.json", "1")]).unwrap().is_empty());
        assert_eq!(names(temp.path()).len(), 4);
    }

    #[test]
    fn a_failure_leaves_no_folder_that_was_not_there() {
        let temp = tempfile::tempdir().unwrap();
        let long = "x".repeat(300);
        let files = [file("record.json", "1"), file(&long, "a name that no file can have")];
        publish(&temp.path().join("a/b"), &files).unwrap_err();
        assert!(names(temp.path()).is_empty());
        fs::create_dir(temp.path().join("a")).unwrap();
        publish(&temp.path().join("a/b"), &files).unwrap_err();
        assert_eq!(names(temp.path()), ["a"], "a folder of the user's own stays");
    }

    #[test]
    fn a_failure_leaves_the_earlier_result_whole() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path();
        publish(dir, &[file("record.json", "1"), file("results.csv", "1")]).unwrap();
        fs::create_dir(dir.join("nodes.csv")).unwrap();
        let new = [file("record.json", "2"), file("results.csv", "2"), file("nodes.csv", "2")];
        let error = publish(dir, &new).unwrap_err();
        assert!(error.message.contains("it is a folder"), "{error}");
        assert_eq!(fs::read_to_string(dir.join("record.json")).unwrap(), "1");
        assert_eq!(names(dir), ["nodes.csv", "record.json", "results.csv"]);
    }

    #[test]
    fn a_file_in_the_way_is_found_before_the_run() {
        let temp = tempfile::tempdir().unwrap();
        let place = temp.path().join("file");
        fs::write(&place, "").unwrap();
        for dir in [place.clone(), place.join("inner")] {
            let error = ensure_writable(&dir).unwrap_err();
            assert!(error.help.iter().any(|h| h.ends_with("is a file")), "{error}");
        }
        assert_eq!(fs::read_to_string(&place).unwrap(), "");
    }
}
