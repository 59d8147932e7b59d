//! Parquet, by its column readers. About 8 M rows a second; memory holds one page a column.

use std::fs::File;

use ::parquet::basic::{ConvertedType, LogicalType, Type};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, Length, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;

use super::Spec;
use super::input;
use super::sink::{Load, Sink, find_columns};
use crate::error::Error;
use crate::keys::{KeyBatch, KeyKind, RowReader};

/// Rows whose cells are held at once: cells hold on to the pages that they come from.
const PART: usize = 1024;

/// Reads a Parquet file.
pub(super) struct ParquetRows<'a> {
    file: SerializedFileReader<File>,
    key: Column,
    requests: Option<Column>,
    bytes: Option<Column>,
    next_group: usize,
    /// Rows of the group at hand that are left.
    left_of_group: usize,
    sink: Sink<'a>,
}

/// One column that is read.
struct Column {
    name: String,
    index: usize,
    /// Whether its integers are unsigned.
    unsigned: bool,
    reader: Option<ColumnReader>,
    cells: Cells,
    narrow: Vec<i32>,
    levels: Vec<i16>,
}

/// The cells of a column for a number of rows.
enum Cells {
    Texts(Vec<ByteArray>),
    Integers(Vec<i64>),
}

/// The names of the columns.
pub(super) fn columns(spec: &Spec) -> Result<Vec<String>, Error> {
    let file = input::open_raw(spec)?;
    let length = file.len();
    let file = SerializedFileReader::new(file).map_err(|cause| failed(spec, 0, &cause))?;
    check_metadata(spec, &file, length)?;
    let schema = file.metadata().file_metadata().schema_descr();
    Ok(schema.columns().iter().map(|c| c.path().string()).collect())
}

impl<'a> ParquetRows<'a> {
    /// Opens the file and finds its columns.
    pub(super) fn open(spec: &'a Spec) -> Result<Self, Error> {
        let file = input::open_raw(spec)?;
        let length = file.len();
        let file = SerializedFileReader::new(file).map_err(|cause| failed(spec, 0, &cause))?;
        check_metadata(spec, &file, length)?;
        let schema = file.metadata().file_metadata().schema_descr();
        let names: Vec<String> = schema.columns().iter().map(|c| c.path().string()).collect();
        let [key, requests, bytes] = find_columns(spec, &names)?;
        let column = |index: Option<usize>, texts: bool, field: &'static str| {
            index.map(|i| Column::new(spec, &schema.column(i), i, texts, field)).transpose()
        };
        let key = column(key, true, "key")?.expect("the key column is always wanted");
        let requests = column(requests, false, "requests")?;
        let bytes = column(bytes, false, "bytes")?;
        let sink = Sink::new(spec);
        Ok(ParquetRows { key, requests, bytes, next_group: 0, left_of_group: 0, sink, file })
    }

    /// Opens the next row group that has rows; false at the end.
    fn next_group(&mut self) -> Result<bool, Error> {
        while self.left_of_group == 0 {
            if self.next_group == self.file.num_row_groups() {
                return Ok(false);
            }
            let group = self.file.get_row_group(self.next_group).map_err(|e| self.failed(&e))?;
            self.next_group += 1;
            self.left_of_group = group.metadata().num_rows().max(0) as usize;
            let columns = [Some(&mut self.key), self.requests.as_mut(), self.bytes.as_mut()];
            for column in columns.into_iter().flatten() {
                let reader = group.get_column_reader(column.index);
                column.reader =
                    Some(reader.map_err(|e| failed(self.sink.spec, self.sink.rows, &e))?);
            }
        }
        Ok(true)
    }

    fn failed(&self, cause: &ParquetError) -> Error {
        failed(self.sink.spec, self.sink.rows, cause)
    }

    /// Reads `rows` rows of the group at hand.
    fn rows(&mut self, rows: usize, batch: &mut KeyBatch) -> Result<(), Error> {
        let sink = &mut self.sink;
        let columns = [Some(&mut self.key), self.requests.as_mut(), self.bytes.as_mut()];
        for column in columns.into_iter().flatten() {
            column.fill(rows, sink)?;
        }
        for i in 0..rows {
            self.key.key(i, sink, batch)?;
            if let Some(column) = &self.requests {
                column.count(i, Load::Requests, sink, batch)?;
            }
            if let Some(column) = &self.bytes {
                column.count(i, Load::Bytes, sink, batch)?;
            }
            sink.end_row();
        }
        Ok(())
    }
}

impl RowReader for ParquetRows<'_> {
    fn read(&mut self, rows: usize, batch: &mut KeyBatch) -> Result<(), Error> {
        let mut left = self.sink.left(rows);
        while left > 0 && !self.sink.is_full(batch) {
            if !self.next_group()? {
                return self.sink.end_of_file();
            }
            let part = left.min(self.left_of_group).min(PART);
            self.rows(part, batch)?;
            batch.grow(part);
            self.left_of_group -= part;
            left -= part;
        }
        Ok(())
    }
}

impl Column {
    /// A column of integers, or of texts if these are allowed.
    fn new(
        spec: &Spec,
        column: &ColumnDescriptor,
        index: usize,
        texts: bool,
        field: &'static str,
    ) -> Result<Self, Error> {
        let name = column.path().string();
        let unsigned = match column.logical_type_ref() {
            Some(LogicalType::Integer(integer)) => !integer.is_signed,
            _ => matches!(column.converted_type(), ConvertedType::UINT_32 | ConvertedType::UINT_64),
        };
        let cells = match column.physical_type() {
            Type::BYTE_ARRAY if texts => Cells::Texts(Vec::new()),
            Type::INT32 | Type::INT64 => Cells::Integers(Vec::new()),
            other => {
                let allowed = if texts { "texts (BYTE_ARRAY), " } else { "" };
                return Err(Error::data(format!(
                    "`{}`, column `{name}`: has the type {other}",
                    spec.name
                ))
                .help(format!("allowed: {allowed}INT32, INT64"))
                .field(field));
            }
        };
        if column.max_rep_level() > 0 {
            return Err(Error::data(format!("`{}`, column `{name}`: holds lists", spec.name))
                .help("allowed: one value a row")
                .field(field));
        }
        let (narrow, levels) = (Vec::new(), Vec::new());
        Ok(Column { name, index, unsigned, reader: None, cells, narrow, levels })
    }

    /// Reads the cells of the next `rows` rows.
    fn fill(&mut self, rows: usize, sink: &Sink<'_>) -> Result<(), Error> {
        self.levels.clear();
        let reader = self.reader.as_mut().expect("a group is open");
        let levels = &mut self.levels;
        let read = match (reader, &mut self.cells) {
            (ColumnReader::ByteArrayColumnReader(reader), Cells::Texts(texts)) => {
                read_all(reader, rows, levels, texts)
            }
            (ColumnReader::Int64ColumnReader(reader), Cells::Integers(integers)) => {
                read_all(reader, rows, levels, integers)
            }
            (ColumnReader::Int32ColumnReader(reader), Cells::Integers(integers)) => {
                let read = read_all(reader, rows, levels, &mut self.narrow);
                let unsigned = self.unsigned;
                let widen = |&n: &i32| if unsigned { i64::from(n as u32) } else { i64::from(n) };
                integers.clear();
                integers.extend(self.narrow.iter().map(widen));
                read
            }
            _ => return Err(failed(sink.spec, sink.rows, &eof("a column changes its type"))),
        };
        let values = read.map_err(|cause| failed(sink.spec, sink.rows, &cause))?;
        if values < rows {
            let top = self.levels.iter().max().copied().unwrap_or(0);
            let place = self.levels.iter().position(|&level| level < top).unwrap_or(0);
            return Err(Error::data(format!(
                "`{}`, row {}, column `{}`: is null",
                sink.spec.name,
                sink.rows + place as u64 + 1,
                self.name
            ))
            .help("allowed: a value in every row"));
        }
        Ok(())
    }

    fn key(&self, i: usize, sink: &mut Sink<'_>, batch: &mut KeyBatch) -> Result<(), Error> {
        match &self.cells {
            Cells::Texts(texts) => sink.key(texts[i].data(), batch),
            Cells::Integers(integers) if sink.spec.kind == KeyKind::I64 && !self.unsigned => {
                sink.integer(integers[i], batch);
                Ok(())
            }
            Cells::Integers(integers) if self.unsigned => {
                sink.key((integers[i] as u64).to_string().as_bytes(), batch)
            }
            Cells::Integers(integers) => sink.key(integers[i].to_string().as_bytes(), batch),
        }
    }

    fn count(
        &self,
        i: usize,
        load: Load,
        sink: &mut Sink<'_>,
        batch: &mut KeyBatch,
    ) -> Result<(), Error> {
        let Cells::Integers(integers) = &self.cells else { unreachable!("refused when opened") };
        match u64::try_from(integers[i]) {
            Ok(count) => sink.add(load, count, batch),
            Err(_) if self.unsigned => sink.add(load, integers[i] as u64, batch),
            Err(_) => Err(sink.wrong_count(load, integers[i].to_string().as_bytes())),
        }
    }
}

/// Reads `rows` records; gives the number of values that are not null.
fn read_all<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Vec<i16>,
    values: &mut Vec<T::T>,
) -> Result<usize, ParquetError> {
    values.clear();
    let mut done = 0;
    while done < rows {
        match reader.read_records(rows - done, Some(levels), None, values)? {
            (0, ..) => return Err(eof("a column has fewer rows than its group")),
            (records, ..) => done += records,
        }
    }
    Ok(values.len())
}

/// Refuses metadata that contradict themselves or the file's length: the crate takes them for right.
fn check_metadata(
    spec: &Spec,
    file: &SerializedFileReader<File>,
    length: u64,
) -> Result<(), Error> {
    let groups = file.metadata().row_groups();
    if groups.iter().map(|g| i128::from(g.num_rows())).sum::<i128>()
        != i128::from(file.metadata().file_metadata().num_rows())
    {
        return Err(failed(spec, 0, &eof("the groups do not add up to the file's rows")));
    }
    for group in groups {
        for column in group.columns() {
            if column.column_descr().max_rep_level() == 0 && column.num_values() != group.num_rows()
            {
                return Err(failed(spec, 0, &eof("a column has another length than its group")));
            }
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let (Ok(start), Ok(size)) =
                (u64::try_from(start), u64::try_from(column.compressed_size()))
            else {
                return Err(failed(spec, 0, &eof("a column has a negative offset or size")));
            };
            if start.checked_add(size).is_none_or(|end| end > length) {
                return Err(failed(spec, 0, &eof("a column lies beyond the end of the file")));
            }
        }
    }
    Ok(())
}

fn eof(what: &str) -> ParquetError {
    ParquetError::EOF(what.into())
}

/// The error when the file cannot be read on.
#[cold]
fn failed(spec: &Spec, rows: u64, cause: &ParquetError) -> Error {
    let place = if rows == 0 { String::new() } else { format!(" after row {rows}") };
    Error::data(format!("`{}` is no Parquet file, or damaged{place}: {cause}", spec.name))
        .help("get the whole file again")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ::parquet::basic::Compression;
    use ::parquet::data_type::{ByteArrayType, Int32Type, Int64Type};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;

    use super::super::tests::Fixture;

    const SCHEMA: &str = "message m { required binary key (UTF8); required int64 requests \
                          (INTEGER(64,false)); required int32 size; optional int64 gaps; }";

    /// Two row groups of four rows: keys k0 to k7, requests 0 to 7, sizes 10 × row, gaps null in row 6.
    fn file(codec: Compression) -> Vec<u8> {
        let schema = Arc::new(parse_message_type(SCHEMA).expect("a schema"));
        let properties = Arc::new(WriterProperties::builder().set_compression(codec).build());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).expect("open");
        for group in [0..4, 4..8] {
            let mut out = writer.next_row_group().expect("a group");
            let keys: Vec<_> = group.clone().map(|i| format!("k{i}").as_bytes().into()).collect();
            let mut column = out.next_column().expect("more").expect("key");
            column.typed::<ByteArrayType>().write_batch(&keys, None, None).expect("written");
            column.close().expect("closed");
            let requests: Vec<i64> = group.clone().collect();
            let mut column = out.next_column().expect("more").expect("requests");
            column.typed::<Int64Type>().write_batch(&requests, None, None).expect("written");
            column.close().expect("closed");
            let sizes: Vec<i32> = group.clone().map(|i| 10 * i as i32).collect();
            let mut column = out.next_column().expect("more").expect("size");
            column.typed::<Int32Type>().write_batch(&sizes, None, None).expect("written");
            column.close().expect("closed");
            let levels: Vec<i16> = group.clone().map(|i| i16::from(i != 5)).collect();
            let gaps: Vec<i64> = group.filter(|&i| i != 5).collect();
            let mut column = out.next_column().expect("more").expect("gaps");
            column.typed::<Int64Type>().write_batch(&gaps, Some(&levels), None).expect("written");
            column.close().expect("closed");
            out.close().expect("closed");
        }
        writer.into_inner().expect("a footer")
    }

    #[test]
    fn keys_and_loads_come_in_order_from_every_codec() {
        for codec in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::ZSTD(Default::default()),
            Compression::GZIP(Default::default()),
            Compression::LZ4_RAW,
        ] {
            let file = Fixture::new("k.parquet", &file(codec));
            let file = file.with("requests", "requests").with("bytes", "size");
            let batch = file.rows().expect("right");
            assert_eq!(file.texts(), ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"]);
            assert_eq!(batch.requests, [0, 1, 2, 3, 4, 5, 6, 7]);
            assert_eq!(batch.bytes, [0, 10, 20, 30, 40, 50, 60, 70]);
        }
    }

    #[test]
    fn integer_columns_give_keys_too() {
        let content = file(Compression::SNAPPY);
        let file = Fixture::new("k.parquet", &content).with("key", "size").with("type", "integer");
        assert_eq!(file.rows().expect("right").ints, [0, 10, 20, 30, 40, 50, 60, 70]);
        let file = Fixture::new("k.parquet", &content).with("key", "requests");
        assert_eq!(file.texts()[7], "7");
    }

    #[test]
    fn nulls_wrong_types_and_missing_columns_are_refused() {
        let fixture = || Fixture::new("k.parquet", &file(Compression::SNAPPY));
        let null = fixture().with("bytes", "gaps").message();
        assert!(null.starts_with("`k.parquet`, row 6, column `gaps`: is null"), "{null}");
        let texts = fixture().with("bytes", "key").message();
        assert!(texts.contains("column `key`: has the type BYTE_ARRAY"), "{texts}");
        let missing = fixture().with("requests", "request").message();
        assert!(missing.contains("did you mean `requests`?"), "{missing}");
        let integer = fixture().with("type", "integer").message();
        assert!(integer.contains("row 1, column `key`: `k0` is no 64-bit integer"), "{integer}");
    }

    #[test]
    fn a_file_cut_anywhere_is_refused() {
        let whole = file(Compression::SNAPPY);
        for length in [0, 3, 4, whole.len() / 2, whole.len() - 1] {
            let message = Fixture::new("k.parquet", &whole[..length]).message();
            assert!(message.contains("no Parquet file, or damaged"), "{length}: {message}");
        }
    }

    #[test]
    fn damaged_bytes_never_panic() {
        let whole = file(Compression::UNCOMPRESSED);
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            let file = Fixture::new("k.parquet", &damaged).with("requests", "requests");
            let _ = file.source().and_then(|source| source.data());
            let _ = file.source().and_then(|_| file.rows());
        }
    }
}
