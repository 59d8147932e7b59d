//! The rows of a key source in their order, on one thread: for counts that depend on the order.

use crate::error::Error;
use crate::keys::{Access, BATCH_ROWS, CHUNK_ROWS, KeyBatch, KeySource, Want};

/// Shows the first `rows` rows (or all there are) with their texts, batch by batch.
///
/// # Errors
/// A fault of a key file.
pub fn each_batch(
    source: &dyn KeySource,
    rows: u64,
    mut visit: impl FnMut(&KeyBatch),
) -> Result<(), Error> {
    let rows = rows.min(source.rows()?);
    let mut batch = KeyBatch::new(source.kind());
    match source.access() {
        Access::InOrder(file) => {
            let mut reader = file.open()?;
            let mut done = 0;
            while done < rows {
                batch.clear(done);
                reader.read((BATCH_ROWS as u64).min(rows - done) as usize, &mut batch)?;
                if batch.is_empty() {
                    break;
                }
                done += batch.len() as u64;
                visit(&batch);
            }
        }
        Access::AnyOrder(generate) => {
            for chunk in 0..rows.div_ceil(CHUNK_ROWS) {
                let first = chunk * CHUNK_ROWS;
                batch.clear(first);
                let size = CHUNK_ROWS.min(rows - first) as usize;
                generate.open(chunk, Want { text: true }).fill(size, &mut batch);
                visit(&batch);
            }
        }
    }
    Ok(())
}
