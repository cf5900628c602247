//! A CSV text as rows with line numbers and columns by name.

use csv::{ReaderBuilder, StringRecord, Trim};

/// Rows of a CSV text.
pub struct Table<'a> {
    reader: csv::Reader<&'a [u8]>,
    /// Names of the columns, as typed.
    pub headers: Vec<String>,
    record: StringRecord,
}

/// A row, or why there is none.
pub enum Row<'r> {
    /// Its line, from 1, and its fields.
    Fields(u32, &'r StringRecord),
    /// Its line, and what is wrong with it.
    Wrong(u32, String),
    /// No more rows.
    End,
}

impl<'a> Table<'a> {
    /// A table whose first row names the columns. Fields are parted by the one of comma, semicolon and tab
    /// that the first line has most of.
    pub fn new(bytes: &'a [u8]) -> Table<'a> {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let first = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
        let n = |separator: u8| first.iter().filter(|&&b| b == separator).count();
        let separator = [b'\t', b';', b','].into_iter().max_by_key(|&s| n(s)).unwrap_or(b',');
        let mut reader = ReaderBuilder::new()
            .delimiter(separator)
            .has_headers(false)
            .flexible(true)
            .trim(Trim::All)
            .from_reader(bytes);
        let mut record = StringRecord::new();
        let has_headers = reader.read_record(&mut record).unwrap_or(false);
        let headers = if has_headers { record.iter().map(str::to_string).collect() } else { Vec::new() };
        Table { reader, headers, record }
    }

    /// The next row.
    pub fn next_row(&mut self) -> Row<'_> {
        let clamp = |line: u64| u32::try_from(line).unwrap_or(u32::MAX);
        match self.reader.read_record(&mut self.record) {
            Ok(false) => Row::End,
            Ok(true) => {
                let line = clamp(self.record.position().map_or(0, csv::Position::line));
                match self.record.len() {
                    n if n == self.headers.len() => Row::Fields(line, &self.record),
                    n => Row::Wrong(line, format!("{n} fields instead of {}", self.headers.len())),
                }
            }
            Err(e) => {
                let line = clamp(e.position().map_or(0, csv::Position::line));
                match e.kind() {
                    csv::ErrorKind::Utf8 { .. } => Row::Wrong(line, "characters that are not UTF-8".into()),
                    _ => Row::End,
                }
            }
        }
    }

    /// The position of a column: the one named, or the first of some synonyms that is there.
    pub fn column(&self, named: Option<&str>, synonyms: &[&str]) -> Option<usize> {
        let find = |name: &str| self.headers.iter().position(|h| normal(h) == normal(name));
        match named {
            Some(name) => find(name),
            None => synonyms.iter().find_map(|name| find(name)),
        }
    }
}

/// A column's name without case and with one kind of separator.
fn normal(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-', '.'], "_")
}
