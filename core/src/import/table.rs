//! A CSV text (RFC 4180) as rows with line numbers and columns by name. Written out here because the line of every mistake must be
//! told, a quotation mark that is never closed among them, which the usual library takes for the end of its field.

/// Most columns.
const COLUMNS_MAX: usize = 1000;

/// Rows of a CSV text.
pub struct Table<'a> {
    rest: &'a [u8],
    separator: u8,
    line: u32,
    /// Names of the columns, as typed.
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
    /// A field, without spaces around it; empty if there is no such field.
    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends.get(i - 1).copied().unwrap_or(0) };
        self.ends.get(i).and_then(|&end| self.text.get(start..end)).unwrap_or_default().trim()
    }
    /// Whether the row is an empty line.
    fn is_blank(&self) -> bool {
        self.ends.len() == 1 && self.get(0).is_empty()
    }
}

/// A row, or why there is none.
pub enum Row<'r> {
    /// Its line, from 1, and its fields.
    Fields(u32, &'r Fields),
    /// Its line, and what is wrong with it.
    Wrong(u32, String),
    /// No more rows.
    End,
}

impl<'a> Table<'a> {
    /// A table whose first row names the columns. Fields are parted by the one of comma, semicolon and tab
    /// that the first line has most of.
    pub fn new(bytes: &'a [u8]) -> Table<'a> {
        let rest = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let first = rest.split(|&b| b == b'\n').next().unwrap_or_default();
        let n = |separator: u8| first.iter().filter(|&&b| b == separator).count();
        let (mut separator, mut most) = (b',', n(b','));
        for other in [b';', b'\t'] {
            if n(other) > most {
                (separator, most) = (other, n(other));
            }
        }
        let mut table = Table { rest, separator, line: 1, headers: Vec::new(), fields: Fields::default() };
        if table.scan().is_ok() {
            // More columns than that are no table that anybody made.
            let n = if table.fields.ends.len() > COLUMNS_MAX { 0 } else { table.fields.ends.len() };
            table.headers = (0..n).map(|i| table.fields.get(i).to_string()).collect();
        }
        table
    }

    /// The next row that is not blank.
    pub fn next_row(&mut self) -> Row<'_> {
        loop {
            if self.rest.is_empty() {
                return Row::End;
            }
            let line = self.line;
            match self.scan() {
                Err(says) => return Row::Wrong(line, says.to_string()),
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

    /// Takes one row off the text, over several lines if a quoted field has some.
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

    /// The position of a column: the one named, or the first of some synonyms that is there.
    pub fn column(&self, named: Option<&str>, synonyms: &[&str]) -> Option<usize> {
        let find = |name: &str| self.headers.iter().position(|h| normal(h) == normal(name));
        match named {
            Some(name) => find(name),
            None => synonyms.iter().find_map(|name| find(name)).or_else(|| {
                // With a unit behind it: submit_ms, memory (GB).
                let bare = |h: &String| {
                    let n = normal(h);
                    let unit = super::times::last_word(h).len() + 1;
                    n.trim_end_matches([')', ']'])
                        .len()
                        .checked_sub(unit)
                        .and_then(|end| n.get(..end).map(str::to_string))
                };
                let is = |h: &String, name: &str| {
                    bare(h).is_some_and(|h| h.trim_end_matches(['_', '(', '[']) == normal(name))
                };
                let has_unit = |h: &String| super::times::is_unit(super::times::last_word(h));
                synonyms.iter().find_map(|name| self.headers.iter().position(|h| has_unit(h) && is(h, name)))
            }),
        }
    }
}

/// A column's name without case and with one kind of separator.
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
                Row::Wrong(line, says) => rows.push(format!("{line}! {says}")),
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
