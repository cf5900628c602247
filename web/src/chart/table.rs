//! Tables, the alternative to every picture.

use fairground::moment::csv;

/// Content of a cell without a value.
pub const NONE: &str = "–";

/// The table of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Captions; all but the first column are numbers.
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Number of text columns on the left.
    pub text_columns: usize,
    /// Columns are queues, so captions are names.
    pub is_by_queue: bool,
}

/// A table with a title and an introduction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    pub title: &'static str,
    /// Introduction.
    pub says: String,
    /// The table; not shown if it has no rows.
    pub table: Table,
    /// The row of the selected queue.
    pub meant: Option<usize>,
}

impl Table {
    /// A table with these captions, the first of which are those of text columns.
    pub fn new(
        head: impl IntoIterator<Item = impl Into<String>>,
        text_columns: usize,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Table {
        let head = head.into_iter().map(Into::into).collect();
        Table { head, rows: rows.into_iter().collect(), text_columns, is_by_queue: false }
    }

    /// The table without the columns in which no row has a value.
    pub fn without_empty_columns(mut self) -> Table {
        for at in (self.text_columns..self.head.len()).rev() {
            if self.rows.iter().all(|row| row[at] == NONE) {
                self.head.remove(at);
                self.rows.iter_mut().for_each(|row| drop(row.remove(at)));
            }
        }
        self
    }

    /// The unit at the end of the captions if all that have one agree; it is then shown once.
    pub fn unit(&self) -> Option<String> {
        let mut units = self.head.iter().filter_map(|head| Some(head.rsplit_once(", ")?.1));
        let unit = units.next()?;
        units.all(|other| other == unit).then(|| unit.to_string())
    }

    /// The table as lines of tab-separated values.
    pub fn tsv(&self) -> String {
        let line = |cells: &Vec<String>| {
            cells.iter().map(|c| c.replace(['\t', '\n', '\r'], " ")).collect::<Vec<_>>().join("\t")
        };
        std::iter::once(&self.head).chain(&self.rows).map(|row| line(row) + "\n").collect()
    }

    /// The table as comma-separated values, escaped so that spreadsheets do not evaluate formulas.
    pub fn csv(&self) -> String {
        let line = |cells: &Vec<String>| csv::line(cells.iter().map(String::as_str));
        std::iter::once(&self.head).chain(&self.rows).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_a_value_go() {
        let rows = [["a", NONE, NONE], ["b", NONE, "2"]].map(|row| row.map(String::from).to_vec());
        let table = Table::new(["queue", "limit", "quota"], 1, rows).without_empty_columns();
        assert_eq!(table.head, ["queue", "quota"]);
        assert_eq!(table.rows, [["a", NONE], ["b", "2"]]);
    }
}
