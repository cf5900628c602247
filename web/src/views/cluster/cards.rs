//! View model of Cluster: cards of nodes with their cells.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::words::Terms;
use fairground::words::number::number;

use crate::chart::queue_tree::Tone;

/// A rectangle in the picture, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

impl Rect {
    fn holds(self, x: f64, y: f64) -> bool {
        x >= self.x && x <= self.x + self.w && y >= self.y && y <= self.y + self.h
    }
}

/// What Cluster draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterView {
    /// Summary sentence.
    pub summary: String,
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// Enlargement of the picture.
    pub scale: f64,
    /// Cards with text; else tiles.
    pub cards_have_text: bool,
    pub cards: Vec<Card>,
    /// Headings of pools and of groups of tiles, with their vertical positions.
    pub groups: Vec<(f64, String)>,
    /// Marks that occur.
    pub marks: BTreeSet<CellMark>,
    /// What cells represent if not GPUs, such as `cores`; empty: GPUs.
    pub filled_with: String,
}

/// A mark of the picture, in the order of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CellMark {
    /// Filled from below.
    Part,
    /// Corner.
    Locked,
    /// Stripes.
    Leaving,
    /// Dotted outline.
    Claimed,
    /// Thin outline inside: placed, not running yet.
    Starting,
    /// Cross-hatch.
    Down,
    /// Background with border.
    Free,
    /// 2 px outline.
    Changed,
    /// Dashed outline.
    Preview,
    Before,
}

impl CellMark {
    /// Its name in the legend.
    pub fn name(self) -> &'static str {
        match self {
            CellMark::Part => "GPU fraction",
            CellMark::Locked => "non-preemptible",
            CellMark::Leaving => "leaving",
            CellMark::Claimed => "claimed",
            CellMark::Starting => "starting",
            CellMark::Down => "down",
            CellMark::Free => "free",
            CellMark::Changed => "changed now",
            CellMark::Preview => "ghost",
            CellMark::Before => "before",
        }
    }
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    pub name: String,
    /// Node pool; empty if there is only one.
    pub pool: String,
    pub place: Rect,
    /// Node is ready.
    pub ready: bool,
    /// Text beside the name, such as `8 of 8 · 2 leaving`.
    pub head: String,
    /// Text below the cells about CPU and memory; empty if nothing uses them.
    pub foot: String,
    /// Used parts of CPU and memory, 0 to 1.
    pub used: (f64, f64),
    /// GPUs, or the whole node where another resource is shown.
    pub cells: Vec<CellView>,
    /// Allocated and total amount of the shown resource.
    pub amounts: (f64, f64),
    /// Rank and name of the tile group; the group with the least free comes first.
    pub group: (usize, String),
    /// Its position among the nodes of the frame.
    pub at: usize,
}

/// A GPU, or a whole node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellView {
    pub place: Rect,
    /// Holders, from the bottom up.
    pub parts: Vec<Part>,
    /// Colour of the claiming queue, and the job.
    pub claim: Option<(Tone, Arc<str>)>,
    /// Different holder in the alternative run.
    pub alternative: Option<AlternativeHolder>,
    /// Allocation by queue, if the cell is a whole node; empty for a GPU.
    pub holds: String,
}

/// Holder of a GPU in the alternative run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlternativeHolder {
    /// Colour; `None`: free there.
    pub tone: Option<Tone>,
    /// Description: a job, `free`, or the allocation by queue for a whole node.
    pub who: String,
    /// The alternative is the baseline before an edit.
    pub was: bool,
}

impl CellView {
    /// The holder, else the claimant; none for a whole node.
    pub fn job(&self) -> Option<&str> {
        self.holds.is_empty().then_some(())?;
        let claimant = self.claim.as_ref().map(|(_, job)| job);
        self.parts.first().map(|part| &part.job).or(claimant).map(|job| &**job)
    }

    pub fn label(&self) -> String {
        self.parts.iter().map(|part| &*part.job).collect::<Vec<_>>().join(" ")
    }

    /// State in the words of a policy.
    pub fn state(&self, terms: &Terms) -> String {
        let mut says: Vec<String> = match self.holds.as_str() {
            "" => self.parts.iter().map(part_says).collect(),
            holds => vec![holds.to_string()],
        };
        if says.is_empty() {
            says.push("free".into());
        }
        says.extend(self.claim.as_ref().map(|(_, job)| terms.fill("[claimed] for ") + job));
        let alternative = self.alternative.as_ref().map(|alternative| {
            format!("; {} {}", if alternative.was { "before:" } else { "would be" }, alternative.who)
        });
        says.join(", ") + &alternative.unwrap_or_default()
    }
}

/// Part of a GPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    pub tone: Tone,
    /// Lower end, 0 to 1.
    pub from: f64,
    /// Upper end, 0 to 1.
    pub to: f64,
    pub job: Arc<str>,
    pub queue: Arc<str>,
    /// Evicted, still holding.
    pub leaving: bool,
    /// Placed, not running.
    pub starting: bool,
    /// Cannot be evicted.
    pub locked: bool,
    /// Placed or evicted in this cycle.
    pub changed: bool,
}

impl ClusterView {
    /// The card and the cell at a point, if any.
    pub fn hit(&self, x: f64, y: f64) -> Option<(&Card, Option<&CellView>)> {
        let card = self.cards.iter().find(|card| card.place.holds(x, y))?;
        Some((card, card.cells.iter().find(|cell| cell.place.holds(x, y))))
    }

    /// Describes a cell as a sentence, in the words of a policy.
    pub fn says(&self, card: &Card, cell: usize, terms: &Terms) -> String {
        let Card { name, cells, .. } = card;
        let state = cells.get(cell).map_or(String::new(), |cell| cell.state(terms));
        match self.filled_with.as_str() {
            "" => format!("{name}, GPU {}: {state}", cell + 1),
            unit => format!("{name}, {unit}: {state}"),
        }
    }
}

fn part_says(part: &Part) -> String {
    let mut says = format!("{} of {}", part.job, part.queue);
    if part.to - part.from < 0.999 {
        says += &format!(", {} of the GPU", number(part.to - part.from));
    }
    for (is, word) in [
        (part.leaving, "leaving"),
        (part.starting, "starting"),
        (part.locked, "non-preemptible"),
        (part.changed, "changed now"),
    ] {
        if is {
            says += &format!(", {word}");
        }
    }
    says
}

/// Rectangle of a part of a GPU, filled from below.
pub fn slice(place: Rect, part: &Part) -> Rect {
    Rect { y: place.y + place.h * (1.0 - part.to), h: place.h * (part.to - part.from), ..place }
}

#[cfg(test)]
mod tests {
    use fairground::policy::Policy;

    use super::*;

    #[test]
    fn a_claimed_gpu_is_named_in_the_words_of_the_policy() {
        let cell = CellView { claim: Some((Tone::default(), "b2".into())), ..CellView::default() };
        assert_eq!(cell.state(&Terms::PLAIN), "free, claimed for b2");
        for policy in Policy::ALL {
            assert_eq!(cell.state(policy.terms), format!("free, {} for b2", policy.terms.word("claimed")));
        }
    }
}
