//! Pure functions from what the engine said to what a component draws. Charts and their tables are drawn from
//! the same view model, so they cannot disagree.

pub mod before;
pub mod charted;
pub mod cluster;
pub mod cluster_ghosts;
pub mod compared;
pub mod division;
pub mod dominant;
pub mod fairness;
pub mod gantt;
pub mod icicle;
pub mod marked;
pub mod multiples;
mod node_fill;
pub mod number;
pub mod palette;
pub mod pointed;
pub mod pull;
pub mod queues;
pub mod shares;
pub mod sketch;
pub mod stand_out;
pub mod timeline;
pub mod typed;

/// A table: the twin of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Captions; all but the first column are numbers.
    pub head: Vec<String>,
    /// Cells.
    pub rows: Vec<Vec<String>>,
    /// How many columns on the left hold text.
    pub text_columns: usize,
}

impl Table {
    /// The table as lines of tab-separated values.
    pub fn tsv(&self) -> String {
        let line = |cells: &Vec<String>| {
            cells.iter().map(|c| c.replace(['\t', '\n', '\r'], " ")).collect::<Vec<_>>().join("\t")
        };
        std::iter::once(&self.head).chain(&self.rows).map(|row| line(row) + "\n").collect()
    }

    /// The table as comma-separated values; cells are quoted where they need it.
    pub fn csv(&self) -> String {
        let cell = |cell: &String| match cell.contains(['"', ',', '\n', '\r']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |cells: &Vec<String>| cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\r\n";
        std::iter::once(&self.head).chain(&self.rows).map(line).collect()
    }
}
