//! Entries of the command palette: commands and things, found by name.
use fairground::units::ShownResource;
use fairground::words::{Selection, Terms};

use crate::engine::protocol::Stop;
use crate::lessons::{LESSONS, Listed};
use crate::library::EXAMPLES;
use crate::state::branches::commands::compare_versions_label;
use crate::state::branches::{Others, kept};
use crate::state::command::Command;
use crate::state::document::{Change, Shift, tree};
use crate::state::editing::commands;
use crate::state::layout::options::{Dialog, KeySet, NowView, Panel, Presenting, SetupTab, Theme};
use crate::state::lesson::step::{LessonStep, RecordStep};
use crate::state::model::Model;

/// An entry of the palette.
#[derive(Clone, Debug, PartialEq)]
pub struct PaletteEntry {
    pub label: String,
    /// Keyboard shortcut, if any, or the kind of thing it finds.
    pub hint: &'static str,
    pub action: Action,
    /// Heading under which it is listed.
    pub group: &'static str,
}

/// Effect of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Do(Command),
    /// Opens the example of that file name.
    Example(&'static str),
    /// Opens a lesson.
    Lesson(&'static Listed),
}

/// Searched things per kind.
const THINGS_MAX: usize = 20_000;
/// Results shown for a search text.
const SHOWN_MAX: usize = 12;
/// Entries per group while the search text is empty.
const GROUP_MAX: usize = 4;

/// Finds the best entries for a search text: all words must occur; entries that begin with it come first, then in the
/// order of [`all`], grouped. For an empty text, returns recently used entries and the first ones of each group.
pub fn find(model: &Model, typed: &str) -> Vec<PaletteEntry> {
    let typed = typed.trim().to_lowercase();
    let words: Vec<&str> = typed.split_whitespace().collect();
    let mut found: [Vec<PaletteEntry>; 2] = Default::default();
    let is_recent = |entry: &PaletteEntry| words.is_empty() && model.view.recent.contains(&entry.label);
    for mut entry in all(model) {
        let label = entry.label.to_lowercase();
        let is_meant = |word: &&str| label.contains(*word) || synonyms(&label).any(|of| of.starts_with(*word));
        if words.iter().all(is_meant) {
            if is_recent(&entry) {
                entry.group = "Recent";
            }
            let is_first = entry.group == "Recent" || !typed.is_empty() && label.starts_with(&typed);
            found[usize::from(!is_first)].push(entry);
        }
    }
    let (all, each) = if words.is_empty() { (usize::MAX, GROUP_MAX) } else { (SHOWN_MAX, SHOWN_MAX) };
    let mut groups: Vec<(&str, Vec<PaletteEntry>)> = Vec::new();
    for entry in found.into_iter().flatten().take(all) {
        match groups.iter_mut().find(|(group, _)| *group == entry.group) {
            Some((_, lines)) if lines.len() >= each => {}
            Some((_, lines)) => lines.push(entry),
            None => groups.push((entry.group, vec![entry])),
        }
    }
    groups.into_iter().flat_map(|(_, lines)| lines).collect()
}

/// Synonyms by the lower-case beginning of a label.
const SYNONYMS: [(&str, &str); 14] = [
    ("record a lesson", "make write create new teach author editor"),
    ("present", "projector slides fullscreen clicker"),
    ("import", "paste open load upload file new empty"),
    ("download", "export save file yaml csv spreadsheet table"),
    ("share", "export link url embed"),
    ("keys", "shortcuts keyboard"),
    ("help", "manual documentation terms tutorial"),
    ("about", "licence license revision"),
    ("how accurate", "tests checked fidelity recordings"),
    ("compare", "versus diff"),
    ("dark theme", "night mode colours colors"),
    ("light theme", "day mode colours colors"),
    ("match system", "mode colours colors"),
    ("go to a cycle", "jump seek time"),
];

fn synonyms(label: &str) -> impl Iterator<Item = &'static str> {
    let of_label = SYNONYMS.iter().filter(move |(begins, _)| label.starts_with(begins));
    of_label.flat_map(|(_, words)| words.split(' '))
}

/// All entries: available commands, then things.
fn all(model: &Model) -> Vec<PaletteEntry> {
    let mut lines: Vec<PaletteEntry> = Vec::new();
    let terms = Terms::of(&model.document.scenario.policy);
    let mut of = |group: &'static str, list: &dyn Fn(Add<'_>)| {
        list(&mut |label: &str, hint: &'static str, command: Command| {
            lines.push(PaletteEntry { label: label.to_string(), hint, action: Action::Do(command), group });
        });
    };
    of("Playback", &|add| of_time(model, add));
    of("Edit", &|add| of_the_scenario(model, add));
    of("View", &|add| {
        of_the_charts(model, terms, add);
        panels(model, add);
    });
    of("Lesson", &|add| of_the_lesson(model, add));
    of("Page", &|add| of_the_page(model, add));
    of("In this scenario", &|add| things(model, add));
    let example = |example: &crate::library::Example| PaletteEntry {
        label: example.head("name"),
        hint: "example",
        action: Action::Example(example.id),
        group: "Examples",
    };
    let lesson = |lesson: &'static Listed| PaletteEntry {
        label: lesson.title.to_string(),
        hint: "lesson",
        action: Action::Lesson(lesson),
        group: "Lessons",
    };
    lines.extend(LESSONS.iter().map(lesson));
    lines.extend(EXAMPLES.iter().map(example));
    lines
}

/// Adds an entry: label, key or kind, command.
type Add<'a> = &'a mut dyn FnMut(&str, &'static str, Command);

fn of_time(model: &Model, add: Add<'_>) {
    add("Step", "→", Command::Step);
    add("Step back", "←", Command::Back);
    add(if model.playback.playing { "Pause" } else { "Play" }, "Space", Command::Play(!model.playback.playing));
    add("Next decision", "Shift+→", Command::StepDecision { back: false });
    add("Previous decision", "Shift+←", Command::StepDecision { back: true });
    add("Next action", "A", Command::Action { back: false });
    add("Previous action", "Shift+A", Command::Action { back: true });
    add("Next event", "]", Command::NextEvent { back: false });
    add("Previous event", "[", Command::NextEvent { back: true });
    add("Go to a cycle", "G", Command::Dialog(Some(Dialog::GoTo)));
    for (label, stop) in stops(model) {
        add(&label, "", Command::RunTo(stop));
    }
}

fn of_the_scenario(model: &Model, add: Add<'_>) {
    if let Some(name) = model.document.history.undo_name() {
        add(&format!("Undo: {name}"), "Ctrl+Z", Command::Undo);
    }
    if let Some(name) = model.document.history.redo_name() {
        add(&format!("Redo: {name}"), "Ctrl+Shift+Z", Command::Redo);
    }
    let (label, command) = record_offer(model);
    add(label, "", command);
    add("Add up result codes of lessons", "", Command::Dialog(Some(Dialog::Results)));
    add("Earlier states", "", Command::Dialog(Some(Dialog::States)));
    if model.document.translated.is_some() {
        let dialog = Command::Dialog(Some(Dialog::Translated));
        add("Show converted settings", "", dialog);
    }
    for (label, _, command) in kept::offers(model) {
        add(&label, "", command);
    }
    let terms = Terms::of(&model.document.scenario.policy);
    for (tab, label) in [
        (SetupTab::Queues, "Edit [queues]"),
        (SetupTab::Nodes, "Edit [nodes]"),
        (SetupTab::Work, "Edit [jobs]"),
        (SetupTab::Rules, "Edit the rules"),
        (SetupTab::Text, "Edit as text"),
    ] {
        add(&terms.fill(label), "", Command::Tab(tab));
    }
    add(&terms.fill("Add a [queue]"), "Q", Command::Change(Change::AddQueue { parent: None }));
    add(&terms.fill("Add [a job]"), "W", Command::Change(Change::AddJob { queue: None }));
    add(&terms.fill("Add [nodes]"), "N", Command::Change(Change::AddNodes));
    if let Some(Selection::Node(node)) = &model.selection {
        for (label, command) in commands::offers(model, node) {
            add(&label, "", command);
        }
    }
    if let Some(Selection::Queue(name)) = &model.selection {
        let shift = |to| Command::Change(Change::MoveQueue { queue: name.clone(), to });
        for (jobs, with) in [(false, String::new()), (true, terms.fill(" with its [jobs]"))] {
            let copy = Change::DuplicateQueue { queue: name.clone(), jobs };
            add(&format!("Duplicate {name}{with}"), "", Command::Change(copy));
        }
        add(&format!("Move {name} up"), "Alt+↑", shift(Shift::Up));
        add(&format!("Move {name} down"), "Alt+↓", shift(Shift::Down));
        add(&format!("Move {name} to the top"), "", shift(Shift::Under(None)));
        add(&format!("Remove {name}"), "Del", Command::Change(Change::RemoveQueue(name.clone())));
    }
    if let Some(Selection::Job(name)) = &model.selection {
        add(&format!("What would help {name}"), "H", Command::Suggest(name.clone()));
        add(&format!("Duplicate {name}"), "", Command::Change(Change::DuplicateJob(name.clone())));
        add(&format!("Remove {name}"), "Del", Command::Change(Change::RemoveJob(name.clone())));
    }
}

/// The command that opens the recorder, and its label.
pub fn record_offer(model: &Model) -> (&'static str, Command) {
    let (label, step) = match &model.lesson {
        Some(playing) => ("Edit a copy of this lesson", RecordStep::Replace(playing.lesson.clone())),
        None if model.recorder.is_open => ("Close the lesson recorder", RecordStep::Open(false)),
        None => ("Record a lesson", RecordStep::Open(true)),
    };
    (label, Command::Record(step))
}

fn of_the_lesson(model: &Model, add: Add<'_>) {
    if model.lesson.is_some() {
        add("Next frame of the lesson", "PageDown", Command::Lesson(LessonStep::Next));
        add("Previous frame of the lesson", "PageUp", Command::Lesson(LessonStep::Back));
        add("Leave the lesson", "", Command::Lesson(LessonStep::Leave));
    }
}

fn of_the_charts(model: &Model, terms: &Terms, add: Add<'_>) {
    let policy = &model.document.scenario.policy;
    for (view, label, key) in [
        (NowView::Shares, "Show shares", "1"),
        (NowView::Division, "Show how shares are divided", "2"),
        (NowView::Tree, "Show the tree", "3"),
        (NowView::Gantt, "Show the [job] timeline", "4"),
        (NowView::Fairness, "Show fairness and waste", "5"),
        (NowView::Trends, "Show every [queue] over time", "6"),
        (NowView::ShareUsage, "Show share usage", "7"),
        (NowView::Priorities, "Show priorities", "8"),
    ] {
        if view.under(policy) == view {
            add(&terms.fill(label), key, Command::ShowView(view));
        }
    }
    for (resource, label) in [
        (ShownResource::GPU, "Show GPUs"),
        (ShownResource::CPU, "Show CPU"),
        (ShownResource::MEMORY, "Show memory"),
        (ShownResource::Dominant, "Show dominant shares"),
    ] {
        add(label, "", Command::Resource(resource));
    }
    let named = model.moment.frame.iter().flat_map(|frame| &frame.named);
    for (n, name) in named.enumerate() {
        add(&format!("Show {name}"), "", Command::Resource(ShownResource::named(n)));
    }
}

fn of_the_page(model: &Model, add: Add<'_>) {
    add("Share", "Ctrl+S", Command::Dialog(Some(Dialog::Share)));
    add("Download the scenario", "", Command::Download);
    add("Download all events as CSV", "", Command::DownloadCsv { is_of_events: true });
    add("Download all series as CSV", "", Command::DownloadCsv { is_of_events: false });
    add("Import", "", Command::Dialog(Some(Dialog::Paste)));
    add("How accurate is this?", "", Command::Dialog(Some(Dialog::Fidelity)));
    add("Compare policies", "", Command::Compare(Others::default()));
    if let Some(label) = compare_versions_label(&model.document.scenario) {
        add(&label, "", Command::Compare(Others::Versions));
    }
    add("Help: guide and glossary", "", Command::Dialog(Some(Dialog::Help)));
    add("About: version, licence, what was checked", "", Command::Dialog(Some(Dialog::About)));
    add("Present", "P", Command::Present(Presenting::On));
    add("Keys", "?", Command::Dialog(Some(Dialog::Keys)));
    for set in KeySet::ALL {
        add(&format!("Keys: {}", set.says()), "", Command::Keys(set));
    }
    for (theme, label) in
        [(Theme::Light, "Light theme"), (Theme::Dark, "Dark theme"), (Theme::System, "Match system theme")]
    {
        add(label, "", Command::Theme(theme));
    }
}

/// Folding and opening panels.
fn panels(model: &Model, add: Add<'_>) {
    for (panel, name) in [(Panel::Setup, "setup"), (Panel::Why, "why"), (Panel::Time, "the timeline")] {
        let folded = model.view.is_folded(panel);
        let label = if folded { format!("Open {name}") } else { format!("Collapse {name}") };
        add(&label, "", Command::Fold(panel, !folded));
    }
}

/// Leaf queues.
fn leaves(model: &Model) -> impl Iterator<Item = &str> {
    let names = model.document.scenario.queues.iter().map(|queue| queue.name.as_str());
    names.filter(|name| tree::is_leaf(&model.document.scenario, name))
}

fn until_share(queue: &str) -> (String, Stop) {
    (format!("Run until {queue} reaches its share"), Stop::Share(queue.to_string()))
}

/// Queues, jobs, nodes and rules that can be found.
fn things(model: &Model, add: Add<'_>) {
    let terms = Terms::of(&model.document.scenario.policy);
    let is_queue = matches!(model.selection, Some(Selection::Queue(_)));
    let offered = if is_queue { 0 } else { QUEUES_OFFERED };
    for (label, stop) in leaves(model).skip(offered).take(THINGS_MAX).map(until_share) {
        add(&label, "", Command::RunTo(stop));
    }
    for queue in model.document.scenario.queues.iter().take(THINGS_MAX) {
        add(&queue.name, terms.word("queue"), Command::Select(Some(Selection::Queue(queue.name.clone()))));
    }
    if let Some(frame) = &model.moment.frame {
        for job in frame.jobs.iter().take(THINGS_MAX) {
            add(&job.name, terms.word("job"), Command::Select(Some(Selection::Job(job.name.clone()))));
        }
        for node in frame.nodes.iter().take(THINGS_MAX) {
            add(&node.name, terms.word("node"), Command::Select(Some(Selection::Node(node.name.clone()))));
        }
    }
}

/// Without a selection, the menu lists this many queues; the search finds all of them.
const QUEUES_OFFERED: usize = 4;

/// Conditions that a run can stop at: for the selection, else for the first leaf queues.
pub fn stops(model: &Model) -> Vec<(String, Stop)> {
    let mut stops = Vec::new();
    if let Some(Selection::Job(job)) = &model.selection {
        stops.push((format!("Run until {job} starts"), Stop::Starts(job.clone())));
    }
    match &model.selection {
        Some(Selection::Queue(queue)) => stops.push(until_share(queue)),
        _ => stops.extend(leaves(model).take(QUEUES_OFFERED).map(until_share)),
    }
    let terms = Terms::of(&model.document.scenario.policy);
    stops.push((terms.fill("Run until the next [eviction]"), Stop::Evicts));
    stops.push(("Run until nothing changes".to_string(), Stop::Nothing));
    stops
}

#[cfg(test)]
mod tests {
    use fairground::policy::Policy;

    use super::*;
    use crate::library::EXAMPLES;
    use crate::state::document::Opened;
    use crate::state::document::Origin;
    use crate::texts::foreign_word;

    #[test]
    fn entries_use_the_words_of_the_policy() {
        for policy in Policy::ALL {
            let mut scenario = EXAMPLES[0].scenario();
            scenario.policy = policy.key.into();
            let model = Model::new(Opened::new(scenario, Origin::Start));
            for entry in all(&model).into_iter().filter(|entry| !matches!(entry.group, "Examples" | "Lessons")) {
                for text in [entry.label.as_str(), entry.hint] {
                    assert_eq!(foreign_word(text, policy.terms), None, "{}: {text}", policy.key);
                }
            }
        }
    }
}
