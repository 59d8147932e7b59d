//! Writing a run's files: all or nothing, and never over a good result with half of a new one.

use std::fs;
use std::io::{ErrorKind as Io, Write as _};
use std::path::{Path, PathBuf};

use super::ALL;
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
/// earlier run left that this one no longer makes ([`is_ours`]). On an error nothing is renamed.
pub fn publish(dir: &Path, files: &[(String, Vec<u8>)]) -> Result<(), Error> {
    fs::create_dir_all(dir).map_err(|cause| refused(dir, dir, &cause))?;
    let mut written: Vec<(PathBuf, PathBuf)> = Vec::new();
    let result = write_all(dir, files, &mut written);
    if result.is_err() {
        for (temporary, _) in &written {
            let _ = fs::remove_file(temporary);
        }
        return result;
    }
    remove_stale(dir, files)
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

fn remove_stale(dir: &Path, files: &[(String, Vec<u8>)]) -> Result<(), Error> {
    let failed = |cause: std::io::Error| {
        Error::io(format!("cannot tidy the folder `{}`", dir.display()), &cause)
    };
    for entry in fs::read_dir(dir).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let Some(name) = name.to_str() else { continue };
        if is_ours(name) && files.iter().all(|(new, _)| new != name) {
            fs::remove_file(dir.join(name)).map_err(failed)?;
        }
    }
    Ok(())
}

/// Whether shardlab writes files of that name into a run's folder: a report's, the timings, or an
/// SVG that is called after a kind of chart (`balance.svg`, `balance-2.svg`).
pub fn is_ours(name: &str) -> bool {
    if name == TIMINGS || ALL.iter().any(|r| r.file == name) {
        return true;
    }
    let Some(stem) = name.strip_suffix(".svg") else { return false };
    crate::charts::ALL.iter().any(|chart| {
        stem.strip_prefix(chart.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    })
}

#[cfg(test)]
mod tests {
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
        let chart = format!("{}-old.svg", crate::charts::ALL[0].name);
        publish(&dir, &[file("record.json", "1"), file(&chart, "x")]).unwrap();
        fs::write(dir.join("mine.svg"), "x").unwrap();
        fs::write(dir.join("timings.json"), "x").unwrap();
        publish(&dir, &[file("record.json", "2")]).unwrap();
        assert_eq!(names(&dir), ["mine.svg", "record.json"]);
        assert_eq!(fs::read_to_string(dir.join("record.json")).unwrap(), "2");
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
