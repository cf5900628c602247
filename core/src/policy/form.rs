//! Form fields: label, help and default of each value. The page builds its forms from
//! these tables; each policy has its own in its folder.

use crate::format::{Path, Segment};

/// Input type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Free text.
    Text,
    /// One of a few values, each with its label.
    Choice(&'static [(&'static str, &'static str)]),
    /// Free text with suggested values.
    Usual(&'static [(&'static str, &'static str)]),
    /// A queue without children.
    Leaf,
    /// A queue as the parent.
    Parent,
    /// A node pool.
    Pool,
    /// A kind of GPU request, then an amount.
    Request,
}

/// Where the value of a form field stands in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// In a field; the key is its path below the owner, separated by dots.
    Field,
    /// Among the settings of the scenario or pool.
    Setting,
    /// Among the settings of the scenario, followed by the name of the queue.
    QueueSetting,
}

/// A form field for a value of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Name of the setting, or path of the field.
    pub key: &'static str,
    /// Where its value stands.
    pub stored: Stored,
    /// Label.
    pub label: &'static str,
    /// Help, with the unit.
    pub says: &'static str,
    /// Default, as displayed.
    pub default: &'static str,
    /// Input type.
    pub ask: Ask,
}

/// A titled group of fields.
pub type Group = (&'static str, &'static [Attribute]);

/// The forms of a policy.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Fields of its settings.
    pub settings: &'static [Group],
    /// Fields of a queue; `None`: those common to all policies.
    pub queue: Option<&'static [Group]>,
    /// Fields of jobs specific to the policy.
    pub job: Option<&'static Group>,
    /// Fields of jobs that replace the common ones.
    pub job_values: &'static [Attribute],
    /// Fields of a node pool.
    pub pool: &'static [Attribute],
}

impl Form {
    /// The form of a policy without settings.
    pub const NONE: Form = Form { settings: &[], queue: None, job: None, job_values: &[], pool: &[] };
}

impl Form {
    /// The policy's variant of a common job field.
    pub fn job_value(&self, shared: &'static Attribute) -> &'static Attribute {
        self.job_values.iter().find(|own| own.key == shared.key).unwrap_or(shared)
    }
}

impl Attribute {
    /// The same field with another input type.
    #[must_use]
    pub const fn ask(self, ask: Ask) -> Attribute {
        Attribute { ask, ..self }
    }

    /// The same field for a value that stands elsewhere.
    #[must_use]
    pub const fn stored(self, stored: Stored) -> Attribute {
        Attribute { stored, ..self }
    }

    /// The default as a value: a choice is displayed by its label.
    pub fn default_value(&self) -> &'static str {
        let choices = if let Ask::Choice(choices) = self.ask { choices } else { &[] };
        choices.iter().find(|(_, label)| *label == self.default).map_or(self.default, |(value, _)| value)
    }

    /// Path in a scenario.
    pub fn place(&self, owner: &Path) -> Path {
        match self.stored {
            Stored::Field => self.key.split('.').fold(owner.clone(), |at, step| at.field(step)),
            // Names of settings may contain dots.
            Stored::Setting => owner.field("settings").field(self.key),
            Stored::QueueSetting => {
                let name = match owner.0.get(1) {
                    Some(Segment::Named(name)) => name,
                    _ => "",
                };
                Path::default().field("settings").field(&format!("{}.{name}", self.key))
            }
        }
    }
}

/// A text field.
pub const fn text(key: &'static str, label: &'static str, default: &'static str, says: &'static str) -> Attribute {
    Attribute { key, stored: Stored::Field, label, says, default, ask: Ask::Text }
}

/// A switch.
pub const ON_OFF: Ask = Ask::Choice(&[("true", "on"), ("false", "off")]);
/// A yes/no property.
pub const YES_NO: Ask = Ask::Choice(&[("true", "yes"), ("false", "no")]);

/// Minimum runtimes of a queue.
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

/// Display name of a queue.
pub const DISPLAY_NAME: Attribute =
    text("display-name", "Display name", "none", "Shown beside the name in Tree and in explanations.");

/// A free note.
pub const REMARK: Group = ("Remark", &[text("note", "Note", "none", "Saved in the scenario file.")]);

/// The priority of a job without priority classes.
pub const PLAIN_PRIORITY: Attribute =
    text("priority", "Priority", "0", "A whole number, also negative; larger first inside its [queue].");

/// Preemptibility of a job, where its priority does not determine it.
pub const PLAIN_PREEMPTIBLE: Attribute =
    text("preemptible", "Preemptible", "yes", "If no, other [jobs] are [evicted] first.").ask(YES_NO);
