//! Exports a scenario to the file formats of its product, and compares exports with an imported original.
//!
//! Each policy writes its own formats ([`crate::policy::export`]); this module selects them by name. For a comparison,
//! the original is imported and exported in the same way, so that only edits differ.

pub mod diff;
mod json_schema;
mod kit;
mod rename;
mod zip;

pub(crate) use json_schema::{document, object, rows};
pub use json_schema::{format_reference, json_schema, with_schema_line};
pub use kit::{KIT_PODS_MAX, KitRun, kit};
pub use rename::{Renamed, Restored, is_list_of_names, renamed, restored};
pub use zip::zip;

use crate::import::{self, FileKind, Imported, Options, Source as Text, recognise};
use crate::policy::Policy;
use crate::policy::description::Description;
use crate::policy::export::Source;
pub use crate::policy::export::{Export, File, Folder, Written};
use crate::scenario::{self, Diagnostic, Plan, Scenario, Severity};
use crate::translate::{NoteKind, translate};

/// Returns all export formats with their policies.
pub fn formats() -> impl Iterator<Item = (&'static Description, &'static Export)> {
    Policy::ALL.iter().flat_map(|policy| policy.exports.iter().map(move |export| (*policy, export)))
}

/// Returns the export formats of a scenario's policy.
pub fn formats_of(scenario: &Scenario) -> &'static [Export] {
    Policy::described(&scenario.policy).map_or(&[], |policy| policy.exports)
}

/// Reason why a scenario cannot be exported.
#[derive(Clone, Debug, PartialEq)]
pub enum Refused {
    /// The format is unknown, or the policy has no formats.
    NoFormat,
    /// The scenario has more than [`KIT_PODS_MAX`] pods.
    TooLarge,
    /// The scenario has errors.
    Mistakes(Vec<Diagnostic>),
}

/// Exports a scenario to a format; `None` selects the first format of its policy. Translates the scenario if the format
/// belongs to another policy.
pub fn export(scenario: &Scenario, format: Option<&str>) -> Result<Written, Refused> {
    let (policy, format) = chosen(scenario, format).ok_or(Refused::NoFormat)?;
    let translated = translate(scenario, policy).ok_or(Refused::NoFormat)?;
    let plan = plan_of(&translated.scenario)?;
    let policies = policies(&plan);
    let source = Source { scenario: &translated.scenario, cluster: &plan.cluster, policies: &policies };
    let mut written = (format.write)(&source).ok_or(Refused::NoFormat)?;
    let lost = translated.notes.into_iter().filter(|note| note.kind != NoteKind::Kept);
    written.left_out.extend(lost.map(|note| note.says));
    Ok(written)
}

fn plan_of(scenario: &Scenario) -> Result<Plan, Refused> {
    let checked = scenario::check(scenario);
    let is_error = |finding: &Diagnostic| finding.severity == Severity::Error;
    checked.plan.ok_or_else(|| Refused::Mistakes(checked.diagnostics.into_iter().filter(is_error).collect()))
}

fn policies(plan: &Plan) -> Vec<&Policy> {
    plan.cluster.partitions.ids().map(|pool| plan.scheduling(pool).0).collect()
}

/// Returns the policy and format for a name, preferring the scenario's policy.
fn chosen(scenario: &Scenario, format: Option<&str>) -> Option<(&'static str, &'static Export)> {
    let own = Policy::described(&scenario.policy)?;
    match format {
        None => own.exports.first().map(|export| (own.key, export)),
        Some(name) => {
            let of = |policy: &'static Description| policy.exports.iter().find(|export| export.file == name);
            of(own).map(|export| (own.key, export)).or_else(|| {
                formats().find(|(_, export)| export.file == name).map(|(policy, export)| (policy.key, export))
            })
        }
    }
}

/// Imports a text of a kind that exports write; `None` for other kinds.
pub fn original(text: &str) -> Option<Imported> {
    let options = Options::default();
    Some(match recognise(text.as_bytes(), "") {
        FileKind::QueuesYaml => import::import_queues_yaml(text, &options),
        FileKind::Organisation => import::import_organisation(&[text], &options),
        FileKind::Plan => import::import_plan(text, &options),
        FileKind::Kubernetes => import::import_kubernetes(&[Text { file: "", text }], &options),
        _ => return None,
    })
}

/// Returns the unified diff between the exports of an imported scenario and of its edited state. `names` are the file
/// names in the header.
pub fn changes(imported: &Scenario, now: &Scenario, format: Option<&str>, names: [&str; 2]) -> Result<String, Refused> {
    let name = match format {
        Some(name) => name,
        None => formats_of(now).first().ok_or(Refused::NoFormat)?.file,
    };
    let after = export(now, Some(name))?.text;
    let before = export(imported, Some(name))?.text;
    Ok(diff::unified(&before, &after, names))
}
