//! Choices of how the page looks.

use fairground::policy::Policy;

/// Colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The word that is kept and set on the page.
    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// Reads [`Theme::name`].
    pub fn from_name(name: &str) -> Theme {
        match name {
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            _ => Theme::System,
        }
    }
}

/// How the keys that type a character are pressed: letters, digits and signs, which voices and stray hands can press
/// by accident. Arrows, Space and keys with Ctrl stay what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeySet {
    /// Alone.
    #[default]
    Plain,
    /// With Alt.
    Alt,
    /// Not at all.
    Off,
}

impl KeySet {
    /// All of them.
    pub const ALL: [KeySet; 3] = [KeySet::Plain, KeySet::Alt, KeySet::Off];

    /// The word that is kept.
    pub fn name(self) -> &'static str {
        match self {
            KeySet::Plain => "plain",
            KeySet::Alt => "alt",
            KeySet::Off => "off",
        }
    }

    /// Reads [`KeySet::name`].
    pub fn from_name(name: &str) -> KeySet {
        KeySet::ALL.into_iter().find(|set| set.name() == name).unwrap_or_default()
    }

    /// What people choose.
    pub fn says(self) -> &'static str {
        match self {
            KeySet::Plain => "Letters, digits and signs alone",
            KeySet::Alt => "Letters, digits and signs with Alt",
            KeySet::Off => "No letters, digits and signs",
        }
    }
}

/// Tabs of SETUP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupTab {
    /// The tree of queues.
    Queues,
    /// Groups of nodes.
    Nodes,
    /// Jobs.
    Work,
    /// The policy and its switches.
    Rules,
    /// All of it as text.
    Text,
}

/// What NOW shows above the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NowView {
    /// What each queue has.
    Shares,
    /// How a fair share came about.
    Division,
    /// How pools are shared by share usage, under policies that share so.
    ShareUsage,
    /// How placing pods changes the priorities of queues, under policies whose queues have such.
    Priorities,
    /// Queues inside queues.
    Tree,
    /// Who ran when.
    Gantt,
    /// What every queue got, and what was wasted.
    Fairness,
    /// What every queue held, cycle by cycle.
    Queues,
}

impl NowView {
    /// All views, in order.
    pub const ALL: [NowView; 8] = [
        NowView::Shares,
        NowView::Division,
        NowView::ShareUsage,
        NowView::Priorities,
        NowView::Tree,
        NowView::Gantt,
        NowView::Fairness,
        NowView::Queues,
    ];

    /// The word of links.
    pub fn name(self) -> &'static str {
        match self {
            NowView::Shares => "shares",
            NowView::Division => "division",
            NowView::ShareUsage => "share-usage",
            NowView::Priorities => "priorities",
            NowView::Tree => "tree",
            NowView::Gantt => "gantt",
            NowView::Fairness => "fairness",
            NowView::Queues => "queues",
        }
    }

    /// The view that is shown under a policy: Division in place of one that the policy does not offer.
    pub fn under(self, policy: &str) -> NowView {
        let knows = Policy::described_or_default(policy).knows;
        match self {
            NowView::ShareUsage if !knows.share_usage => NowView::Division,
            NowView::Priorities if !knows.queue_priorities => NowView::Division,
            view => view,
        }
    }

    /// Reads [`NowView::name`].
    pub fn from_name(name: &str) -> Option<NowView> {
        NowView::ALL.into_iter().find(|view| view.name() == name)
    }
}

/// Panels of narrow screens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// Charts of the moment.
    Now,
    /// The scenario.
    Setup,
    /// Explanations.
    Why,
    /// Timeline.
    Time,
}

/// Dialogs.
#[derive(Clone, Debug, PartialEq)]
pub enum Dialog {
    /// Ready-made scenarios and drafts.
    Examples,
    /// Earlier states of the document.
    States,
    /// Link and file.
    Share,
    /// How well the engine is checked.
    Fidelity,
    /// How to begin, and what terms mean.
    Help,
    /// What one term means, by its neutral word.
    Term(&'static str),
    /// Which version this is, and what was checked.
    About,
    /// Keys.
    Keys,
    /// Go to a cycle.
    GoTo,
    /// Everything that can be done or found, by name.
    Palette,
    /// A place to paste, choose a file, or start empty.
    Paste,
    /// What was recognised in files.
    Import,
    /// What became of the settings when the policy was changed.
    Translated,
    /// The scenario under several policies.
    Compare,
    /// Whether everything that is kept on this device is to be deleted.
    Reset,
    /// A link that could not be read: what is known about it.
    BadLink(String),
}
