//! A CSV reader (RFC 4180) with line numbers and columns by name. The usual library does not report the line of every
//! error and accepts an unclosed quotation mark as the end of a field.

/// Maximum number of columns.
const COLUMNS_MAX: usize = 1000;

/// Reader of the rows of a CSV text.
pub struct Table<'a> {
    rest: &'a [u8],
    separator: u8,
    line: u32,
    /// Column names as typed.
    pub headers: Vec<String>,
    fields: Fields,
}

/// The fields of a row.
#[derive(Default)]
pub struct Fields {
    text: String,
    ends: Vec<usize>,
}

impl Fields {
    /// Returns a trimmed field; empty if there is no such field.
    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends.get(i - 1).copied().unwrap_or(0) };
        self.ends.get(i).and_then(|&end| self.text.get(start..end)).unwrap_or_default().trim()
    }
    /// Whether the row is an empty line.
    fn is_blank(&self) -> bool {
        self.ends.len() == 1 && self.get(0).is_empty()
    }
}

/// A row or the reason why there is none.
pub enum Row<'r> {
    /// One-based line and fields.
    Fields(u32, &'r Fields),
    /// One-based line and the problem.
    Wrong(u32, String),
    /// End of the text.
    End,
}

impl<'a> Table<'a> {
    /// Reads the column names from the first row. The separator is the most frequent of comma, semicolon and tab in the
    /// first line.
    pub fn new(bytes: &'a [u8]) -> Table<'a> {
        let content = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let first = content.split(|&b| b == b'\n').next().unwrap_or_default();
        let n = |separator: u8| first.iter().filter(|&&b| b == separator).count();
        let (mut separator, mut n_most) = (b',', n(b','));
        for other in [b';', b'\t'] {
            if n(other) > n_most {
                (separator, n_most) = (other, n(other));
            }
        }
        let mut table = Table { rest: content, separator, line: 1, headers: Vec::new(), fields: Fields::default() };
        if table.scan().is_ok() {
            // Text with more columns is not a table.
            let n = if table.fields.ends.len() > COLUMNS_MAX { 0 } else { table.fields.ends.len() };
            table.headers = (0..n).map(|i| table.fields.get(i).to_string()).collect();
        }
        table
    }

    /// Returns the next row that is not blank.
    pub fn next_row(&mut self) -> Row<'_> {
        loop {
            if self.rest.is_empty() {
                return Row::End;
            }
            let line = self.line;
            match self.scan() {
                Err(message) => return Row::Wrong(line, message.to_string()),
                Ok(()) if self.fields.is_blank() => {}
                Ok(()) => {
                    return match self.fields.ends.len() {
                        n if n == self.headers.len() => Row::Fields(line, &self.fields),
                        n => Row::Wrong(line, format!("{n} fields instead of {}", self.headers.len())),
                    };
                }
            }
        }
    }

    /// Consumes one row, across several lines if a quoted field contains line breaks.
    fn scan(&mut self) -> Result<(), &'static str> {
        let mut bytes = std::mem::take(&mut self.fields.text).into_bytes();
        bytes.clear();
        self.fields.ends.clear();
        let (mut i, mut is_quoted, mut starts) = (0, false, true);
        while let Some(&b) = self.rest.get(i) {
            i += 1;
            self.line += u32::from(b == b'\n');
            match b {
                b'"' if is_quoted && self.rest.get(i) == Some(&b'"') => {
                    bytes.push(b'"');
                    i += 1;
                }
                b'"' if is_quoted || starts => {
                    is_quoted = !is_quoted;
                    starts = false;
                }
                b if is_quoted => bytes.push(b),
                b'\n' => break,
                b if b == self.separator => {
                    self.fields.ends.push(bytes.len());
                    starts = true;
                }
                b => {
                    starts &= b == b' ';
                    bytes.push(b);
                }
            }
        }
        self.rest = &self.rest[i..];
        self.fields.ends.push(bytes.len());
        let is_open = is_quoted && self.rest.is_empty();
        self.fields.text = String::from_utf8(bytes).map_err(|_| "characters that are not UTF-8")?;
        if is_open { Err("a quotation mark that is never closed") } else { Ok(()) }
    }

    /// Returns the position of the named column or, without a name, of the first synonym that exists.
    pub fn column(&self, named: Option<&str>, synonyms: &[&str]) -> Option<usize> {
        let find = |name: &str| self.headers.iter().position(|h| normal(h) == normal(name));
        match named {
            Some(name) => find(name),
            None => synonyms.iter().find_map(|name| find(name)).or_else(|| {
                // A unit may follow: submit_ms, memory (GB).
                let bare = |h: &String| {
                    let n = normal(h);
                    let unit = super::times::last_word(h).len() + 1;
                    n.trim_end_matches([')', ']'])
                        .len()
                        .checked_sub(unit)
                        .and_then(|end| n.get(..end).map(str::to_string))
                };
                let is_name = |h: &String, name: &str| {
                    bare(h).is_some_and(|h| h.trim_end_matches(['_', '(', '[']) == normal(name))
                };
                let has_unit = |h: &String| super::times::is_unit(super::times::last_word(h));
                synonyms.iter().find_map(|name| self.headers.iter().position(|h| has_unit(h) && is_name(h, name)))
            }),
        }
    }
}

/// Normalises a column name: lowercase, `_` as the separator.
fn normal(name: &str) -> String {
    name.chars().map(|c| if matches!(c, ' ' | '-' | '.') { '_' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<String> {
        let mut table = Table::new(text.as_bytes());
        let mut rows = Vec::new();
        loop {
            match table.next_row() {
                Row::End => return rows,
                Row::Wrong(line, message) => rows.push(format!("{line}! {message}")),
                Row::Fields(line, fields) => {
                    let all: Vec<&str> = (0..fields.ends.len()).map(|i| fields.get(i)).collect();
                    rows.push(format!("{line}: {}", all.join("|")));
                }
            }
        }
    }

    #[test]
    fn quoted_fields_lines_and_separators_are_understood() {
        assert_eq!(
            rows("a,b\n1,2\r\n\n \"x, y\" ,\"say \"\"hi\"\"\"\n3,4"),
            ["2: 1|2", "4: x, y|say \"hi\"", "5: 3|4"]
        );
        assert_eq!(rows("\u{feff}a;b;c,d\n1;2;3\n"), ["2: 1|2|3"]);
        assert_eq!(rows("a\tb\n1\t\n"), ["2: 1|"]);
        assert_eq!(rows("a,b\n\"1\n2\",3\n4\n5,6\n"), ["2: 1\n2|3", "4! 1 fields instead of 2", "5: 5|6"]);
        assert_eq!(rows("a,b\n5'6\",7\n"), ["2: 5'6\"|7"]);
        assert_eq!(rows("a,b\n\"1,2\n"), ["2! a quotation mark that is never closed"]);
        assert_eq!(rows(""), Vec::<String>::new());
    }
}
