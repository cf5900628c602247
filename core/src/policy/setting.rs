//! A setting is one row of its policy's table, with the rules that it affects. Forms, rule book, schema, translation and
//! the reader are loops over the rows.

use super::PRIORITY_CLASS;
use super::description::Description;
use super::form::{Attribute, Stored};
use crate::format::{Edit, Findings, Path, Scalar, Scenario, codes, nearest, quantity, quoted, set};
use crate::trace::Rule;

/// A setting that is read into a configuration `C`; the error of its parser describes a valid value.
#[derive(Clone, Copy)]
pub struct Setting<C, E = Expected, U = ()> {
    /// Name, label, help, default and input type.
    pub field: Attribute,
    /// Affected rules.
    pub affects: Affects,
    /// The product's own spellings, accepted in a file.
    pub aliases: &'static [&'static str],
    /// When it certainly has no effect, for policies that report this.
    pub unused: U,
    /// Parses a value.
    pub parse: fn(&mut C, &str) -> Result<(), E>,
}

impl<C, E> Setting<C, E> {
    /// A setting of the scenario or a pool.
    pub const fn new(field: Attribute, affects: Affects, parse: fn(&mut C, &str) -> Result<(), E>) -> Setting<C, E> {
        Setting { field: field.stored(Stored::Setting), affects, aliases: &[], unused: (), parse }
    }

    /// A setting of a queue.
    pub const fn of_queue(
        field: Attribute,
        affects: Affects,
        parse: fn(&mut C, &str) -> Result<(), E>,
    ) -> Setting<C, E> {
        Setting { field: field.stored(Stored::QueueSetting), affects, aliases: &[], unused: (), parse }
    }
}

impl<C: 'static, E: 'static, U: 'static> Setting<C, E, U> {
    /// The setting with this name.
    pub fn find<'s>(all: impl IntoIterator<Item = &'s Setting<C, E, U>>, name: &str) -> Option<&'s Setting<C, E, U>> {
        all.into_iter().find(|setting| setting.field.key == name)
    }

    /// The names of settings.
    pub fn names<'s>(all: impl IntoIterator<Item = &'s Setting<C, E, U>>) -> Vec<&'static str> {
        all.into_iter().map(|setting| setting.field.key).collect()
    }

    /// Its line of the rule book.
    pub fn rules(&self) -> SettingRules {
        SettingRules { name: self.field.key, aliases: self.aliases, affects: self.affects }
    }

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// Returns the description of a valid value if it is invalid.
    pub fn read(&self, config: &mut C, text: &str) -> Result<(), E> {
        (self.parse)(config, text.trim())
    }
}

/// The form fields of settings.
pub const fn fields<C, E, U, const N: usize>(all: &[Setting<C, E, U>; N]) -> [Attribute; N] {
    let mut fields = [all[0].field; N];
    let mut i = 0;
    while i < N {
        fields[i] = all[i].field;
        i += 1;
    }
    fields
}

/// Reports all settings, for a policy without settings.
pub fn none(s: &Scenario, policy: &Description, f: &mut Findings) {
    for name in s.settings.keys() {
        unknown(s, name, &[], &format!("{} has no settings", policy.key), f);
    }
}

/// Reports a setting that the policy does not have.
pub fn unknown(s: &Scenario, name: &str, known: &[&'static str], else_says: &str, f: &mut Findings) {
    if f.only_counts(codes::SETTING) {
        return;
    }
    let at = Path::default().field("settings").field(name);
    let near = nearest(name, known.iter().copied());
    let hint = near.map_or_else(|| else_says.to_string(), |near| format!("did you mean `{near}`?"));
    let mut fix = set(at.clone(), "", format!("Remove the setting {}", quoted(name)));
    if let (Some(near), Some(fix)) = (near.filter(|near| !s.settings.contains_key(*near)), &mut fix) {
        fix.label = format!("Use {near}");
        let meant = Path::default().field("settings").field(near);
        let value = s.settings.get(name).map(|value| value.0.clone()).unwrap_or_default();
        fix.edits.push(Edit::Set { at: meant, value });
    }
    f.add(codes::SETTING, at, format!("the policy has no setting {}; {hint}", quoted(name)), fix);
}

/// Reports an invalid value of a setting.
pub fn refused(name: &str, typed: &Scalar, expected: &str, f: &mut Findings) {
    let at = Path::default().field("settings").field(name);
    let says = format!("{name} {} is not {expected}", quoted(&typed.0));
    f.add(codes::SETTING_VALUE, at.clone(), says, set(at, "", format!("Use the default of {name}")));
}

/// Whether a setting defines a priority class; reports an invalid value. Jobs read the value of the class they name.
pub fn priority_class(name: &str, typed: &Scalar, f: &mut Findings) -> bool {
    let is_class = name.strip_prefix(PRIORITY_CLASS).is_some_and(|class| !class.is_empty());
    if is_class && quantity::integer(typed.0.trim()).is_err() {
        refused(name, typed, "an integer of 32 bits", f);
    }
    is_class
}

/// Description of the expected value.
pub type Expected = &'static str;

/// Parses one of several values by its name.
pub fn choice<T: Copy>(text: &str, all: &[(&str, T)], expected: Expected) -> Result<T, Expected> {
    all.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or(expected)
}

/// Parses `true` or `false`.
pub fn switch(text: &str) -> Result<bool, Expected> {
    choice(text, &[("true", true), ("false", false)], "true or false")
}

/// The rules that a setting affects.
#[derive(Clone, Copy, Debug)]
pub struct SettingRules {
    /// Name among the settings of a scenario; for settings of single queues, without the queue's name.
    pub name: &'static str,
    /// The product's own spellings.
    pub aliases: &'static [&'static str],
    /// Effect of the setting.
    pub affects: Affects,
}

/// Effect of a setting.
#[derive(Clone, Copy, Debug)]
pub enum Affects {
    /// Changes how these rules decide.
    Rules(&'static [&'static Rule]),
    /// Affects no rule, for this reason.
    Nothing(&'static str),
}

impl Affects {
    /// The affected rules.
    pub fn rules(self) -> impl Iterator<Item = Rule> {
        let rules: &[&Rule] = match self {
            Affects::Rules(rules) => rules,
            Affects::Nothing(_) => &[],
        };
        rules.iter().map(|rule| **rule)
    }
}

/// The rules of a policy and its settings.
#[derive(Clone, Debug, Default)]
pub struct Rulebook {
    /// Every rule that can decide under the policy.
    pub rules: Vec<Rule>,
    /// Its settings, each with the affected rules.
    pub settings: Vec<(SettingRules, Vec<Rule>)>,
}

impl Rulebook {
    /// With the rules that each setting declares.
    pub fn new(rules: Vec<Rule>, settings: impl IntoIterator<Item = SettingRules>) -> Rulebook {
        let own = |setting: SettingRules| (setting, setting.affects.rules().collect());
        Rulebook { rules, settings: settings.into_iter().map(own).collect() }
    }
}
