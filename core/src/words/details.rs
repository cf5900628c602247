//! The numbers and settings of an explanation as lines of plain text, for the runner.

use super::{Evidence, Explanation, Terms};

impl Explanation {
    /// The table of the compared numbers, and the fields of the settings that matter.
    pub fn details(&self) -> Vec<String> {
        let terms = Terms::of(&self.policy);
        let mut lines = self.evidence.iter().flat_map(|evidence| evidence.lines(terms)).collect::<Vec<_>>();
        let settings = self.controls.iter().map(|control| format!("{} ({})", control.label.spoken(), control.path));
        let settings: Vec<String> = settings.collect();
        if !settings.is_empty() {
            lines.push(format!("Settings that matter: {}.", settings.join(", ")));
        }
        lines
    }
}

impl Evidence {
    /// The caption, the head and the rows, with aligned columns.
    fn lines(&self, terms: &Terms) -> Vec<String> {
        let head = self.head.iter().map(|text| text.spoken());
        let mut rows: Vec<Vec<String>> = if self.head.is_empty() { Vec::new() } else { vec![head.collect()] };
        for (name, cells, _) in &self.rows {
            let cells = cells.iter().map(|cell| cell.shown.clone());
            rows.push(std::iter::once(terms.fill(name).to_string()).chain(cells).collect());
        }
        let widths: Vec<usize> = (0..rows.iter().map(Vec::len).max().unwrap_or(0))
            .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max())
            .map(Option::unwrap_or_default)
            .collect();
        let line = |row: Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
                0 => format!("  {cell:width$}"),
                _ => format!("  {cell:>width$}"),
            });
            cells.collect::<String>().trim_end().to_string()
        };
        let caption = self.caption.spoken();
        let caption = (!caption.is_empty()).then(|| format!("{caption}:"));
        caption.into_iter().chain(rows.into_iter().map(line)).collect()
    }
}
