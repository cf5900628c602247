//! How values are asked for: what each is called, what it does, and what holds when it is not set. The page makes its forms from
//! these tables; each policy has its own in its folder.

use crate::format::{Path, Segment};

/// How a value is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// As text.
    Text,
    /// As one of a few values, each with its name.
    Choice(&'static [(&'static str, &'static str)]),
    /// As text, with usual values to choose from.
    Usual(&'static [(&'static str, &'static str)]),
    /// As a queue without children.
    Leaf,
    /// As a queue to stand below.
    Parent,
    /// As a node pool.
    Pool,
    /// As a way to ask for GPUs, then an amount.
    Request,
}

/// A value of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its place below its owner, steps with dots between; `@rank`: the setting of the queue, `settings.rank.NAME`.
    pub key: &'static str,
    /// What it is called.
    pub label: &'static str,
    /// What it does, with its unit.
    pub says: &'static str,
    /// What holds when it is not set.
    pub default: &'static str,
    /// How it is asked for.
    pub ask: Ask,
}

/// Values that belong together.
pub type Group = (&'static str, &'static [Attribute]);

/// The forms of a policy.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Its settings.
    pub settings: &'static [Group],
    /// A queue; `None`: the values that all policies have.
    pub queue: Option<&'static [Group]>,
    /// What it alone reads of jobs.
    pub job: Option<&'static Group>,
    /// Values of jobs of which it knows more, or less, than others.
    pub job_values: &'static [Attribute],
    /// Choices that each node pool can make for itself.
    pub pool: &'static [Attribute],
}

impl Form {
    /// The form of a policy without settings.
    pub const NONE: Form = Form { settings: &[], queue: None, job: None, job_values: &[], pool: &[] };
}

impl Form {
    /// A value of jobs as the policy has it.
    pub fn job_value(&self, shared: &'static Attribute) -> &'static Attribute {
        self.job_values.iter().find(|own| own.key == shared.key).unwrap_or(shared)
    }
}

impl Attribute {
    /// Its place in a scenario.
    pub fn place(&self, owner: &Path) -> Path {
        match self.key.strip_prefix('@') {
            Some(setting) => {
                let name = match owner.0.get(1) {
                    Some(Segment::Named(name)) => name,
                    _ => "",
                };
                Path::default().field("settings").field(&format!("{setting}.{name}"))
            }
            None => match self.key.strip_prefix("settings.") {
                // Names of settings may have dots of their own.
                Some(setting) => owner.field("settings").field(setting),
                None => self.key.split('.').fold(owner.clone(), |at, step| at.field(step)),
            },
        }
    }
}

/// A value that is asked for as text.
pub const fn text(
    key: &'static str,
    label: &'static str,
    default: &'static str,
    says: &'static str,
) -> Attribute {
    Attribute { key, label, says, default, ask: Ask::Text }
}

/// A value that is asked for in another way.
pub const fn ask(of: Attribute, ask: Ask) -> Attribute {
    Attribute { ask, ..of }
}

/// A switch.
pub const ON_OFF: Ask = Ask::Choice(&[("true", "on"), ("false", "off")]);
/// A property.
pub const YES_NO: Ask = Ask::Choice(&[("true", "yes"), ("false", "no")]);

/// How long what runs in a queue is safe.
pub const PROTECTION: Group = (
    "Minimum runtime",
    &[
        text(
            "reclaim-min-runtime",
            "Before reclaim",
            "as its parent",
            "How long a job must have run before another queue can reclaim it, such as 5m. Top-level queues use the policy's default.",
        ),
        text(
            "preempt-min-runtime",
            "Before preemption",
            "as its parent",
            "How long a job must have run before a job of higher priority in its queue can preempt it.",
        ),
    ],
);

/// What people call a queue.
pub const DISPLAY_NAME: Attribute =
    text("display-name", "Display name", "none", "Shown beside the name in Tree and in explanations.");

/// What somebody remarks.
pub const REMARK: Group = ("Remark", &[text("note", "Note", "none", "Saved in the scenario file.")]);

/// The priority of a job where there are no classes.
pub const PLAIN_PRIORITY: Attribute =
    text("priority", "Priority", "0", "A whole number, also negative; larger first inside its [queue].");

/// Whether the pods of a job may be taken from it, where its priority does not say so.
pub const PLAIN_PREEMPTIBLE: Attribute =
    ask(text("preemptible", "Preemptible", "yes", "If no, other [jobs] are [evicted] first."), YES_NO);
