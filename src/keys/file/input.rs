//! The bytes of a file: opened, unpacked, fingerprinted.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};

use super::Spec;
use crate::error::{Error, ErrorKind};

/// Bytes that are read at once.
pub(super) const BUFFER: usize = 1 << 16;

/// First bytes of a gzip stream (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The bytes of an opened file, unpacked.
pub(super) type Input = Box<dyn Read + Send>;

/// Opens the file, or says why that is not possible.
pub(super) fn open_raw(spec: &Spec) -> Result<File, Error> {
    let file = File::open(&spec.path).and_then(|file| {
        if file.metadata()?.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        Ok(file)
    });
    file.map_err(|cause| {
        let error = Error::data(format!("cannot read `{}`: {cause}", spec.name)).field("file");
        match cause.kind() {
            io::ErrorKind::NotFound => {
                error.help("a relative path starts from the scenario's folder")
            }
            _ => error.help("give a file that can be read"),
        }
    })
}

/// Opens the file and unpacks it if it is gzipped.
pub(super) fn open(spec: &Spec) -> Result<Input, Error> {
    let mut file = BufReader::with_capacity(BUFFER, open_raw(spec)?);
    let packed = file.fill_buf().map_err(|cause| failed(spec, 0, &cause))?.starts_with(&GZIP);
    Ok(if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}

/// The error when reading fails after `rows` rows.
#[cold]
pub(super) fn failed(spec: &Spec, rows: u64, cause: &io::Error) -> Error {
    let what = match cause.kind() {
        io::ErrorKind::UnexpectedEof => {
            "the gzip stream is cut off, or other bytes follow it".to_string()
        }
        io::ErrorKind::InvalidInput if cause.to_string().contains("gzip header") => {
            "no gzip header where one must stand; do other bytes follow the packed data?"
                .to_string()
        }
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => cause.to_string(),
        _ => {
            return Error::io(format!("cannot read `{}` after row {rows}", spec.name), cause);
        }
    };
    Error::new(ErrorKind::Data, format!("`{}` is damaged after row {rows}: {what}", spec.name))
        .help("get the whole file again, or unpack it to see where it breaks")
}

/// SHA-256 of the file as it lies on the disk, in hex.
pub(super) fn sha256(spec: &Spec) -> Result<String, Error> {
    let mut file = open_raw(spec)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; BUFFER];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => hash.update(&buffer[..n]),
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(Error::io(format!("cannot read `{}`", spec.name), &cause)),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
