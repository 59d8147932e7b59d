//! Small text files (scenarios, server lists, tables), read whole and within a bound.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::Error;

/// UTF-8 byte order mark, with which some editors begin a text.
pub const BOM: &str = "\u{feff}";

/// The text of a file of at most `most_bytes`; `shown` is how messages name it. Devices and pipes that
/// never end are refused like files that are too large. A byte order mark is no part of it.
///
/// Errors: the file cannot be read, is too large, or is not UTF-8 (with the line).
pub fn read(path: &Path, shown: &str, most_bytes: u64) -> Result<String, Error> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most_bytes + 1).read_to_end(&mut bytes))
        .map_err(|cause| Error::io(format!("cannot read `{shown}`"), &cause))?;
    if bytes.len() as u64 > most_bytes {
        return Err(Error::data(format!("`{shown}` has more than {most_bytes} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|b| **b == b'\n').count() + 1;
        Error::data(format!("`{shown}`, line {line}: not UTF-8"))
            .help("save the file as UTF-8 text")
    })?;
    Ok(without_mark(text))
}

/// The text without the byte order mark that it may begin with.
pub fn without_mark(mut text: String) -> String {
    if text.starts_with(BOM) {
        text.drain(..BOM.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_or_no_text_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("f");
        let read = |bytes: &[u8], most| {
            std::fs::write(&path, bytes).unwrap();
            super::read(&path, "f", most).map_err(|error| error.message)
        };
        assert_eq!(read(b"abc", 3).unwrap(), "abc");
        assert_eq!(read(b"\xef\xbb\xbfa\xef\xbb\xbf", 9).unwrap(), "a\u{feff}");
        assert_eq!(read(b"abcd", 3).unwrap_err(), "`f` has more than 3 bytes");
        assert_eq!(read(b"a\nb\xff", 9).unwrap_err(), "`f`, line 2: not UTF-8");
        let error = super::read(&temp.path().join("none"), "none", 9).unwrap_err();
        assert!(error.message.starts_with("cannot read `none`: "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_without_end_is_refused() {
        let error = read(Path::new("/dev/zero"), "/dev/zero", 1000).unwrap_err();
        assert_eq!(error.message, "`/dev/zero` has more than 1000 bytes");
    }
}
