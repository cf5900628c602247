//! Tables: the twins of pictures.

use fairground::moment::csv;

/// A table: the twin of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Captions; all but the first column are numbers.
    pub head: Vec<String>,
    /// Cells.
    pub rows: Vec<Vec<String>>,
    /// How many columns on the left hold text.
    pub text_columns: usize,
    /// Its columns are queues: what stands above them are names.
    pub is_by_queue: bool,
}

/// A table with how to read it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// What it shows.
    pub title: &'static str,
    /// How to read it.
    pub says: String,
    /// The table; without rows there is nothing to show.
    pub table: Table,
    /// The row of the selected queue.
    pub meant: Option<usize>,
}

impl Table {
    /// A table of these columns.
    pub fn new(head: &[&str], text_columns: usize, rows: Vec<Vec<String>>) -> Table {
        Table {
            head: head.iter().map(|head| head.to_string()).collect(),
            rows,
            text_columns,
            is_by_queue: false,
        }
    }

    /// The unit that ends every head which names one, if that is always the same: it is shown once.
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

    /// The table as comma-separated values, of which a spreadsheet takes none for a formula.
    pub fn csv(&self) -> String {
        let line = |cells: &Vec<String>| csv::line(cells.iter().map(String::as_str));
        std::iter::once(&self.head).chain(&self.rows).map(line).collect()
    }
}
