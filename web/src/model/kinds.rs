//! Kinds of events as people tell them apart.

/// The kind of an event, from the one that hides others to the one that is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// ✕
    Reclaimed,
    /// ◆
    Preempted,
    /// ⇄
    Moved,
    /// ⚡
    Node,
    /// ✎
    Changed,
    /// ●
    Started,
    /// ■
    Finished,
    /// ▲
    Submitted,
    /// ○
    Requeued,
    /// A dotted ring: room is held.
    Claimed,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 10] = [
        Kind::Reclaimed,
        Kind::Preempted,
        Kind::Moved,
        Kind::Node,
        Kind::Changed,
        Kind::Started,
        Kind::Finished,
        Kind::Submitted,
        Kind::Requeued,
        Kind::Claimed,
    ];

    /// The kind of an event; none for events that only follow from others.
    pub fn of(kind: &str) -> Option<Kind> {
        Some(match kind {
            "reclaimed" | "evicted" => Kind::Reclaimed,
            "preempted" => Kind::Preempted,
            "moved" => Kind::Moved,
            "node" => Kind::Node,
            "changed" => Kind::Changed,
            "started" => Kind::Started,
            "finished" => Kind::Finished,
            "submitted" | "offered" => Kind::Submitted,
            "requeued" => Kind::Requeued,
            "claimed" => Kind::Claimed,
            _ => return None,
        })
    }

    /// The kinds of events that it stands for.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Kind::Reclaimed => &["reclaimed", "evicted"],
            Kind::Preempted => &["preempted"],
            Kind::Moved => &["moved"],
            Kind::Node => &["node"],
            Kind::Changed => &["changed"],
            Kind::Started => &["started"],
            Kind::Finished => &["finished", "done"],
            Kind::Submitted => &["submitted", "offered"],
            Kind::Requeued => &["requeued", "gone"],
            Kind::Claimed => &["claimed"],
        }
    }

    /// Its name in the legend.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Reclaimed => "reclaimed",
            Kind::Preempted => "preempted",
            Kind::Moved => "moved",
            Kind::Node => "node event",
            Kind::Changed => "changed by hand",
            Kind::Started => "started",
            Kind::Finished => "finished",
            Kind::Submitted => "submitted",
            Kind::Requeued => "waits again",
            Kind::Claimed => "claimed",
        }
    }
}

/// Some of the kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u16);

impl Kinds {
    /// Whether a kind is among them.
    pub fn has(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }
    /// Takes a kind in or out.
    pub fn put(&mut self, kind: Kind, is_in: bool) {
        self.0 = self.0 & !(1 << kind as u16) | u16::from(is_in) << kind as u16;
    }
    /// All of them, in order.
    pub fn all(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }
}
