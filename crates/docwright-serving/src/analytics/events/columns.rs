//! Rows as a Parquet file: one row group, with dictionaries, compressed.

use std::sync::Arc;

use parquet::{
    basic::{Compression, ZstdLevel},
    data_type::{ByteArray, ByteArrayType, Int64Type},
    errors::ParquetError,
    file::{properties::WriterProperties, writer::SerializedFileWriter},
    schema::{parser::parse_message_type, types::TypePtr},
};

use super::row::{COLUMNS, Row};

/// Value of the definition level of a value that exists.
const DEFINED: i16 = 1;

/// Encodes rows.
pub(super) fn encode(rows: &[Row<'_>]) -> Result<Vec<u8>, ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by("docwright".to_owned())
        .build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema()?, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    let mut place = 0;
    while let Some(mut column) = group.next_column()? {
        if place == 0 {
            let times: Vec<_> = rows.iter().map(|row| row.time).collect();
            column.typed::<Int64Type>().write_batch(&times, None, None)?;
        } else {
            let text = |row: &Row<'_>| match place {
                1 => ByteArray::from(&*row.domain),
                2 => ByteArray::from(&*row.event),
                place => ByteArray::from(&*row.values[place - 3]),
            };
            let all = rows.iter().map(text);
            if place < 3 {
                let all: Vec<_> = all.collect();
                column.typed::<ByteArrayType>().write_batch(&all, None, None)?;
            } else {
                let levels: Vec<_> = rows
                    .iter()
                    .map(|row| if row.values[place - 3].is_empty() { 0 } else { DEFINED })
                    .collect();
                let all: Vec<_> = all.filter(|value| !value.is_empty()).collect();
                column.typed::<ByteArrayType>().write_batch(&all, Some(&levels), None)?;
            }
        }
        column.close()?;
        place += 1;
    }
    group.close()?;
    writer.close()?;
    Ok(bytes)
}

fn schema() -> Result<TypePtr, ParquetError> {
    let optional = COLUMNS.map(|name| format!("OPTIONAL BYTE_ARRAY {name} (STRING);"));
    let text = format!(
        "message events {{ REQUIRED INT64 time (TIMESTAMP(MILLIS, true)); REQUIRED BYTE_ARRAY domain (STRING); \
         REQUIRED BYTE_ARRAY event (STRING); {} }}",
        optional.join(" ")
    );
    Ok(Arc::new(parse_message_type(&text)?))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use docwright_types::{
        analytics::{Dimension, Reader},
        timestamp::{HOUR, MINUTE},
    };
    use parquet::{
        file::reader::{FileReader, SerializedFileReader},
        record::RowAccessor,
    };

    use super::{super::super::visit::Counted, *};

    #[test]
    fn rows_are_read_back() {
        let view = Counted {
            view: Some(Reader::Human),
            page: Some("guide".to_owned()),
            values: vec![
                (Dimension::Referrer, "search.example".to_owned()),
                (Dimension::Language, "pt-BR".to_owned()),
            ],
        };
        let dead = Counted {
            values: vec![(Dimension::OtherDeadLink, "/gün".to_owned())],
            ..Counted::default()
        };
        let time = HOUR + 5 * MINUTE + 59_999;
        let mut rows: Vec<_> =
            Row::all("d", &view, time).chain(Row::all("d", &dead, time)).collect();
        rows.sort_unstable();
        let bytes = encode(&rows).unwrap();
        let reader = SerializedFileReader::new(Bytes::from(bytes)).unwrap();
        assert_eq!(reader.metadata().file_metadata().created_by(), Some("docwright"));
        let read: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(read.len(), 2);
        let text = |row: usize, column: usize| read[row].get_string(column).cloned().ok();
        let of = |name: &str| 3 + COLUMNS.iter().position(|column| *column == name).unwrap();
        assert_eq!(read[0].get_timestamp_millis(0).unwrap(), HOUR + 5 * MINUTE);
        assert_eq!(
            (text(0, 1).as_deref(), text(0, 2).as_deref()),
            (Some("d"), Some("other_dead_link"))
        );
        assert_eq!((text(0, of("value")).as_deref(), text(0, of("reader"))), (Some("/gün"), None));
        assert_eq!(text(1, 2).as_deref(), Some("view"));
        assert_eq!(text(1, of("referrer")).as_deref(), Some("search.example"));
        assert_eq!(text(1, of("language")).as_deref(), Some("pt-BR"));
        assert_eq!((text(1, of("value")), text(1, of("agent"))), (None, None));
    }
}
