//! Names of jobs in the cells of Cluster.

use std::collections::BTreeSet;

use super::cards::{CellView, ClusterView, Rect, slice};
use crate::chart::backend::text_width;

/// Bold letters are wider than those that [`text_width`] measures.
pub const BOLD: f64 = 1.12;

/// Whether a cell has room for two lines of text.
pub fn is_large(cell: &CellView) -> bool {
    cell.place.h >= 50.0
}

/// Widths of cells in which a name is too long. In cells of these widths all names are shortened, so that jobs of one
/// kind are not named in two ways.
pub struct Shortened(BTreeSet<i32>);

impl Shortened {
    pub fn of(view: &ClusterView) -> Shortened {
        let mut widths = BTreeSet::new();
        for cell in view.cards.iter().flat_map(|card| &card.cells) {
            for part in &cell.parts {
                let own = slice(cell.place, part);
                if !fits(&part.job, own, size_in(own, is_large(cell))) {
                    widths.insert(own.w.round() as i32);
                }
            }
        }
        Shortened(widths)
    }

    /// The label of a job and its size; `None` without room for any.
    pub fn label(&self, job: &str, own: Rect, large: bool) -> Option<(String, f64)> {
        if own.h < 14.0 || own.w < 26.0 {
            return None;
        }
        let size = size_in(own, large);
        let is_short = self.0.contains(&(own.w.round() as i32));
        let whole = Some(job.to_owned());
        let labels = if is_short { [coded(job), whole, initials(job)] } else { [whole, None, None] };
        let label = labels.into_iter().flatten().find(|label| fits(label, own, size))?;
        Some((label, size))
    }
}

fn fits(label: &str, own: Rect, size: f64) -> bool {
    text_width(label, size * BOLD) <= own.w - 8.0
}

/// Size of a label.
fn size_in(own: Rect, large: bool) -> f64 {
    match large && own.h > 30.0 {
        true if own.w >= 90.0 => 16.0,
        true => 14.0,
        false => 12.0,
    }
}

/// The initial and up to three digits: *s12* for *sweep-12*; `None` for a name without a number.
fn coded(job: &str) -> Option<String> {
    let digits: Vec<char> = job.chars().rev().take_while(char::is_ascii_digit).take(3).collect();
    let initial = job.chars().next().filter(|_| !digits.is_empty())?;
    Some(std::iter::once(initial).chain(digits.into_iter().rev()).collect())
}

fn initials(job: &str) -> Option<String> {
    (job.chars().count() > 2).then(|| job.chars().take(2).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_cells_are_named_alike() {
        let own = Rect { x: 0.0, y: 0.0, w: 60.0, h: 40.0 };
        let label = |names: &Shortened, job: &str| names.label(job, own, true).map(|(label, _)| label);
        let (all, none) = (Shortened([60].into()), Shortened(BTreeSet::new()));
        assert_eq!(label(&none, "run-1").as_deref(), Some("run-1"));
        assert_eq!(label(&all, "run-1").as_deref(), Some("r1"), "another name of the same width is too long");
        assert_eq!(label(&all, "people-12").as_deref(), Some("p12"));
        assert_eq!(label(&all, "web").as_deref(), Some("web"), "there is no number to keep");
        assert_eq!(label(&all, "interactive-session").as_deref(), Some("in"));
    }
}
