//! What Cluster draws: cards of nodes with their cells.

use std::collections::BTreeSet;

use fairground::words::number::number;

use crate::chart::queue_tree::Tone;

/// A place in the picture, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Place {
    fn holds(self, x: f64, y: f64) -> bool {
        x >= self.x && x <= self.x + self.w && y >= self.y && y <= self.y + self.h
    }
}

/// What Cluster draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterView {
    /// One sentence about the moment.
    pub summary: String,
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// Cards with text, or tiles without.
    pub cards_have_text: bool,
    /// Nodes.
    pub cards: Vec<Card>,
    /// Headings of pools and of groups of tiles, with where they stand.
    pub groups: Vec<(f64, String)>,
    /// The marks that are on screen.
    pub marks: BTreeSet<CellMark>,
    /// What cells are where they are no GPUs, such as `cores`; empty: they are GPUs.
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
    Ghost,
    /// Dashed outline too.
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
            CellMark::Ghost => "ghost",
            CellMark::Before => "before",
        }
    }
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    /// Name.
    pub name: String,
    /// Its pool; empty if there is only one.
    pub pool: String,
    /// Where.
    pub place: Place,
    /// Takes part.
    pub ready: bool,
    /// Text beside the name, such as `8 of 8 · 2 leaving`.
    pub head: String,
    /// Text below the cells about CPU and memory; empty if nothing uses them.
    pub foot: String,
    /// Used parts of CPU and memory, 0 to 1.
    pub used: (f64, f64),
    /// GPUs, or the whole node where another resource is shown.
    pub cells: Vec<CellView>,
    /// Held and there, of the resource that is shown.
    pub amounts: (f64, f64),
    /// Among which tiles it stands: the least free first, with what they are called.
    pub group: (usize, String),
    /// Its position among the nodes of the frame.
    pub at: usize,
}

/// A GPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellView {
    /// Where.
    pub place: Place,
    /// Who holds it, bottom first.
    pub parts: Vec<Part>,
    /// Claimed by a queue of this colour, for that job.
    pub claim: Option<(Tone, String)>,
    /// Who has it instead in the alternative.
    pub alternative: Option<AlternativeHolder>,
    /// Who holds how much of it, where it is a whole node; empty: it is a GPU.
    pub holds: String,
}

/// Who has a GPU in the alternative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlternativeHolder {
    /// Colour; `None`: it is free there.
    pub tone: Option<Tone>,
    /// Whose it is, in words: a job, `free`, or who holds how much of a whole node.
    pub who: String,
    /// The alternative is how it was before.
    pub was: bool,
}

impl CellView {
    /// The job it is about: holder, else claimant; none of a whole node.
    pub fn job(&self) -> Option<&str> {
        self.holds.is_empty().then_some(())?;
        let claimant = self.claim.as_ref().map(|(_, job)| job);
        self.parts.first().map(|part| &part.job).or(claimant).map(String::as_str)
    }

    /// All its jobs.
    pub fn label(&self) -> String {
        self.parts.iter().map(|part| part.job.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// What becomes of it, in words.
    pub fn state(&self) -> String {
        let mut says: Vec<String> = match self.holds.as_str() {
            "" => self.parts.iter().map(part_says).collect(),
            holds => vec![holds.to_string()],
        };
        if says.is_empty() {
            says.push("free".into());
        }
        says.extend(self.claim.as_ref().map(|(_, job)| format!("claimed for {job}")));
        let alternative = self.alternative.as_ref().map(|alternative| {
            format!("; {} {}", if alternative.was { "before:" } else { "would be" }, alternative.who)
        });
        says.join(", ") + &alternative.unwrap_or_default()
    }
}

/// Part of a GPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Colour.
    pub tone: Tone,
    /// From the bottom, 0 to 1.
    pub from: f64,
    /// To, 0 to 1.
    pub to: f64,
    /// Job.
    pub job: String,
    /// Queue's name.
    pub queue: String,
    /// Told to go.
    pub leaving: bool,
    /// Placed, not running.
    pub starting: bool,
    /// May not be taken.
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

    /// What a cell is, as a sentence.
    pub fn says(&self, card: &Card, cell: usize) -> String {
        let Card { name, cells, .. } = card;
        let state = cells.get(cell).map_or(String::new(), CellView::state);
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
