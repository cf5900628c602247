//! Reads a lesson and resolves the scenario of each frame. Reports all mistakes at once.

use crate::units::Resource;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::entries::{FactEntry, FrameEntry, LessonEntry, QuestionEntry};
use super::fact::resource;
use super::{FORMAT, Fact, FactKind, Lesson, LessonFrame, Question, QuestionKind, Scene, Suggestion, to_yaml};
use crate::cluster::Cluster;
use crate::format::{quoted, read_shape};
use crate::scenario::{
    Edit, Plan, Scalar, Scenario, Severity, apply, check, dotted_edits_between, edits_between, nearest, quantity,
    undotted,
};
use crate::words::Selection;

/// Largest size of a file, in bytes.
pub const BYTES_MAX: usize = 200_000;
pub const FRAMES_MAX: usize = 20;
pub const TITLE_CHARS_MAX: usize = 60;
pub const TEXT_CHARS_MAX: usize = 420;
pub const NOTES_CHARS_MAX: usize = 1_000;
const SENTENCES_MAX: usize = 3;
const BECAUSE_SENTENCES_MAX: usize = 2;
const OPTIONS: std::ops::RangeInclusive<usize> = 2..=6;
pub const SUGGESTIONS_MAX: usize = 3;
/// Largest cycle, so that a lesson opens quickly.
const CYCLE_MAX: u64 = 5_000;

/// What a lesson may refer to.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The scenario of an example.
    pub example: &'a dyn Fn(&str) -> Option<Scenario>,
    /// Names of views.
    pub views: &'a [&'a str],
}

/// A mistake in a lesson file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// One-based line, if known.
    pub line: Option<u32>,
    /// The field; empty: the whole file.
    pub at: String,
    pub says: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        match self.at.as_str() {
            "" => f.write_str(&self.says),
            at => write!(f, "{at}: {}", self.says),
        }
    }
}

/// Whether a text claims to be a lesson, in one of its first lines.
pub fn is_lesson(text: &str) -> bool {
    text.lines().take(10).any(|line| line.contains("format") && line.contains(FORMAT))
}

/// Reads a lesson as YAML or JSON.
pub fn read(text: &str, known: Known<'_>) -> Result<Lesson, Vec<Mistake>> {
    let (lesson, mistakes) = read_unfinished(text, known);
    if mistakes.is_empty() { Ok(lesson) } else { Err(mistakes) }
}

/// Reads a lesson that is being written: what there is of it, and its mistakes.
pub fn read_unfinished(text: &str, known: Known<'_>) -> (Lesson, Vec<Mistake>) {
    let mut reader = Reader { known, mistakes: Vec::new() };
    if text.len() > BYTES_MAX {
        reader.add("", format!("the file has {} bytes; up to {BYTES_MAX} are read", text.len()));
        return (Lesson::default(), reader.mistakes);
    }
    let mut entry = LessonEntry::default();
    reader.mistakes = read_shape(text, &mut entry)
        .into_iter()
        .filter(|found| found.severity == Severity::Error)
        .map(|found| Mistake { line: found.position.map(|(line, _)| line), at: found.at.to_string(), says: found.says })
        .collect();
    let lesson = reader.lesson(&entry);
    let checksum = rawzip::crc32(to_yaml(&lesson).as_bytes());
    (Lesson { checksum, ..lesson }, reader.mistakes)
}

/// A scenario that scenes can follow, with its plan.
#[derive(Clone)]
struct Base {
    scenario: Arc<Scenario>,
    plan: Arc<Plan>,
    cycle: u32,
}

/// What a frame or a question asks to show, as typed.
struct SceneEntry<'a> {
    set: &'a BTreeMap<String, Scalar>,
    cycle: Option<&'a Scalar>,
    select: Option<&'a str>,
    view: &'a str,
    pool: &'a str,
}

struct Reader<'a> {
    known: Known<'a>,
    mistakes: Vec<Mistake>,
}

impl Reader<'_> {
    fn add(&mut self, at: &str, says: impl Into<String>) {
        self.mistakes.push(Mistake { line: None, at: at.to_string(), says: says.into() });
    }

    fn lesson(&mut self, entry: &LessonEntry) -> Lesson {
        if entry.format != FORMAT {
            self.add("format", format!("a lesson begins with `format: {FORMAT}`"));
        }
        if entry.version.as_ref().is_none_or(|version| version.0 != "1") {
            self.add("version", "this build reads `version: 1`");
        }
        self.title("title", &entry.title);
        self.sentences("about", &entry.about, 1);
        let n = entry.frames.len();
        if !(1..=FRAMES_MAX).contains(&n) {
            self.add("frames", format!("there are {n} frames; a lesson has 1 to {FRAMES_MAX}"));
        }
        let mut base = None;
        let frames = entry.frames.iter().take(FRAMES_MAX).enumerate();
        let frames =
            frames.filter_map(|(i, frame)| self.frame(&format!("frames[{i}]"), frame, i + 1 == n, &mut base)).collect();
        Lesson { title: entry.title.clone(), about: entry.about.clone(), frames, checksum: 0 }
    }

    fn frame(&mut self, at: &str, entry: &FrameEntry, is_last: bool, base: &mut Option<Base>) -> Option<LessonFrame> {
        self.title(&format!("{at}.title"), &entry.title);
        self.sentences(&format!("{at}.text"), &entry.text, SENTENCES_MAX);
        let before = base.as_ref().map(|base| base.scenario.clone());
        let is_new = self.source(at, entry, base);
        let shown = base.as_mut()?;
        let scene = SceneEntry {
            set: &entry.set,
            cycle: entry.cycle.as_ref(),
            select: entry.select.as_deref(),
            view: entry.view.as_deref().unwrap_or("shares"),
            pool: entry.pool.as_deref().unwrap_or(""),
        };
        let mut scene = self.scene(at, &scene, shown)?;
        if is_new {
            scene.example = entry.example.clone().filter(|_| scene.edits.is_empty());
            let before = before.filter(|_| scene.example.is_none());
            let edits = before.and_then(|before| dotted_edits_between(&before, &scene.scenario));
            scene.edits = edits.unwrap_or_default();
        }
        let n_notes = entry.notes.chars().count();
        if n_notes > NOTES_CHARS_MAX {
            self.add(
                &format!("{at}.notes"),
                format!("they have {n_notes} characters; up to {NOTES_CHARS_MAX} are shown"),
            );
        }
        let claims = self.facts(&format!("{at}.claims"), &entry.claims, &shown.plan.cluster);
        let question = self.question(&format!("{at}.question"), &entry.question, &scene, shown);
        let suggestions = self.suggestions(&format!("{at}.suggestions"), entry, is_last, shown);
        let (title, text, notes) = (entry.title.clone(), entry.text.clone(), entry.notes.clone());
        Some(LessonFrame { title, text, notes, scene, question, claims, suggestions })
    }

    /// Replaces the scenario if a frame has one of its own; returns whether it has.
    fn source(&mut self, at: &str, entry: &FrameEntry, base: &mut Option<Base>) -> bool {
        let inline = Some(&entry.scenario).filter(|scenario| **scenario != Scenario::default());
        let scenario = match (&entry.example, inline) {
            (Some(_), Some(_)) => {
                self.add(at, "a frame has an example or a scenario, not both");
                return false;
            }
            (Some(name), None) => match (self.known.example)(name) {
                Some(scenario) => scenario,
                None => {
                    self.add(&format!("{at}.example"), format!("there is no example {}", quoted(name)));
                    return false;
                }
            },
            (None, Some(scenario)) => scenario.clone(),
            (None, None) => {
                if base.is_none() {
                    self.add(at, "the first frame needs an example or a scenario");
                }
                return false;
            }
        };
        let plan = self.plan(&format!("{at}.scenario"), &scenario);
        *base = plan.map(|plan| Base { scenario: Arc::new(scenario), plan, cycle: 0 });
        true
    }

    fn plan(&mut self, at: &str, scenario: &Scenario) -> Option<Arc<Plan>> {
        let checked = check(scenario);
        for found in checked.diagnostics.iter().filter(|found| found.severity == Severity::Error) {
            self.add(&format!("{at}.{}", found.at), found.says.clone());
        }
        checked.plan.map(Arc::new)
    }

    /// Resolves a scene, which the next one follows.
    fn scene(&mut self, at: &str, entry: &SceneEntry<'_>, base: &mut Base) -> Option<Scene> {
        let mut edits = self.edits(&format!("{at}.set"), entry.set, &base.scenario);
        if !edits.is_empty() {
            let scenario = apply(&base.scenario, &edits).ok()?;
            // Without those that set a field to the value that it has.
            edits = edits_between(&base.scenario, &scenario).unwrap_or(edits);
            // Otherwise the rest is checked with the scenario before the edits.
            if let Some(plan) = self.plan(&format!("{at}.set"), &scenario) {
                (base.plan, base.scenario) = (plan, Arc::new(scenario));
            }
        }
        if let Some(cycle) = entry.cycle {
            match quantity::count(&cycle.0).ok().filter(|cycle| *cycle <= CYCLE_MAX) {
                Some(cycle) => base.cycle = u32::try_from(cycle).unwrap_or(0),
                None => self.add(&format!("{at}.cycle"), format!("a cycle is a number up to {CYCLE_MAX}")),
            }
        }
        if !self.known.views.contains(&entry.view) {
            let views = self.known.views.join(", ");
            self.add(&format!("{at}.view"), format!("there is no view {}; views: {views}", quoted(entry.view)));
        }
        if !entry.pool.is_empty() && !base.plan.cluster.partitions.values().any(|pool| *pool.name == *entry.pool) {
            self.add(&format!("{at}.pool"), format!("the scenario has no node pool {}", quoted(entry.pool)));
        }
        let selection = entry.select.and_then(Selection::from_text);
        if entry.select.is_some_and(|_| !selection.as_ref().is_some_and(|of| has(&base.plan.cluster, of))) {
            self.add(
                &format!("{at}.select"),
                "the scenario has nothing of that name; write `queue:`, `job:` or `node:` and the name",
            );
        }
        let (scenario, cycle) = (base.scenario.clone(), base.cycle);
        let (view, pool) = (entry.view.to_string(), entry.pool.to_string());
        Some(Scene { scenario, example: None, edits, cycle, selection, view, pool })
    }

    /// Edits that can be applied to a scenario.
    fn edits(&mut self, at: &str, set: &BTreeMap<String, Scalar>, scenario: &Scenario) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (path, value) in set {
            let edit = Edit::Set { at: undotted(path), value: value.0.clone() };
            match apply(scenario, std::slice::from_ref(&edit)) {
                Ok(_) => edits.push(edit),
                Err(found) => self.add(&format!("{at}.{path}"), found.says),
            }
        }
        edits
    }

    fn question(&mut self, at: &str, entry: &QuestionEntry, shown: &Scene, base: &mut Base) -> Option<Question> {
        if entry.asks.is_empty() && entry.answer.fact.is_empty() && entry.options.is_empty() && entry.order.is_empty() {
            return None;
        }
        self.sentences(&format!("{at}.asks"), &entry.asks, BECAUSE_SENTENCES_MAX);
        self.sentences(&format!("{at}.because"), &entry.because, BECAUSE_SENTENCES_MAX);
        let scene = SceneEntry {
            set: &entry.set,
            cycle: entry.cycle.as_ref(),
            select: entry.select.as_deref(),
            view: entry.view.as_deref().unwrap_or(&shown.view),
            pool: entry.pool.as_deref().unwrap_or(&shown.pool),
        };
        let scene = self.scene(at, &scene, base)?;
        let cluster = &base.plan.cluster;
        let answer_at = format!("{at}.answer");
        let answer = self.fact(&answer_at, &entry.answer)?;
        let kind = match (entry.options.is_empty(), entry.order.is_empty()) {
            (true, true) => {
                if !answer.is_in(cluster) {
                    self.add(&answer_at, "the scenario has nothing of that name");
                }
                if answer.is.is_some() { QuestionKind::TrueOrFalse } else { QuestionKind::Number }
            }
            (_, true) => QuestionKind::PickOne(self.names(&format!("{at}.options"), &entry.options, &answer, cluster)),
            (is_order_only, false) => {
                if !is_order_only {
                    self.add(at, "a question has options or an order, not both");
                }
                QuestionKind::Order(self.names(&format!("{at}.order"), &entry.order, &answer, cluster))
            }
        };
        let claims = self.facts(&format!("{at}.claims"), &entry.claims, cluster);
        let (asks, because) = (entry.asks.clone(), entry.because.clone());
        Some(Question { asks, kind, answer, scene, because, claims })
    }

    /// Names to choose from, each once, of what the answer is about.
    fn names(&mut self, at: &str, names: &[String], answer: &Fact, cluster: &Cluster) -> Vec<String> {
        if !OPTIONS.contains(&names.len()) {
            self.add(at, "there are 2 to 6 names");
        }
        for (i, name) in names.iter().enumerate() {
            if !answer.about(name).is_in(cluster) {
                self.add(at, format!("the scenario has no {}", quoted(name)));
            } else if names[..i].contains(name) {
                self.add(at, format!("{} is there twice", quoted(name)));
            }
        }
        names.to_vec()
    }

    fn suggestions(&mut self, at: &str, entry: &FrameEntry, is_last: bool, base: &Base) -> Vec<Suggestion> {
        let n = entry.suggestions.len();
        if n > SUGGESTIONS_MAX || !is_last && n > 0 {
            self.add(at, format!("the last frame has up to {SUGGESTIONS_MAX} suggestions, other frames have none"));
        }
        let all = entry.suggestions.iter().enumerate().map(|(i, suggestion)| {
            let at = format!("{at}[{i}]");
            self.title(&format!("{at}.label"), &suggestion.label);
            let edits = self.edits(&format!("{at}.set"), &suggestion.set, &base.scenario);
            match apply(&base.scenario, &edits) {
                Ok(after) if !edits.is_empty() => drop(self.plan(&format!("{at}.set"), &after)),
                _ => self.add(&format!("{at}.set"), "a suggestion has an edit"),
            }
            Suggestion { label: suggestion.label.clone(), edits }
        });
        all.collect()
    }

    fn facts(&mut self, at: &str, entries: &[FactEntry], cluster: &Cluster) -> Vec<Fact> {
        let mut facts = Vec::new();
        for (i, entry) in entries.iter().enumerate() {
            let at = format!("{at}[{i}]");
            let Some(fact) = self.fact(&at, entry) else { continue };
            if !fact.is_in(cluster) {
                self.add(&at, "the scenario has nothing of that name");
            }
            if fact.is.is_none() {
                self.add(&at, "a claim has a value: `is`");
            }
            facts.push(fact);
        }
        facts
    }

    fn fact(&mut self, at: &str, entry: &FactEntry) -> Option<Fact> {
        let Some(kind) = FactKind::from_name(&entry.fact) else {
            let hint = match nearest(&entry.fact, FactKind::NAMES.iter().copied()) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("known: {}", FactKind::NAMES.join(", ")),
            };
            self.add(&format!("{at}.fact"), format!("unknown fact {}; {hint}", quoted(&entry.fact)));
            return None;
        };
        let resource = entry.resource.as_deref().map_or(Some(Resource::GPU), resource);
        if resource.is_none() {
            self.add(&format!("{at}.resource"), "known resources: gpu, cpu, memory");
        }
        let is = entry.is.as_ref().map(|is| is.0.parse::<f64>().ok().filter(|is| is.is_finite()));
        if is == Some(None) {
            self.add(&format!("{at}.is"), "the value is a number");
        }
        Some(Fact {
            kind,
            of: entry.of.clone().unwrap_or_default(),
            resource: resource.unwrap_or(Resource::GPU),
            pool: entry.pool.clone().unwrap_or_default(),
            is: is.flatten(),
        })
    }

    fn title(&mut self, at: &str, text: &str) {
        match text.chars().count() {
            0 => self.add(at, "it is missing"),
            n if n > TITLE_CHARS_MAX => {
                self.add(at, format!("it has {n} characters; up to {TITLE_CHARS_MAX} are shown"))
            }
            _ => {}
        }
    }

    fn sentences(&mut self, at: &str, text: &str, most: usize) {
        let (n_chars, n) = (text.chars().count(), n_sentences(text));
        if n == 0 {
            self.add(at, "it is missing");
        } else if n > most || n_chars > TEXT_CHARS_MAX {
            let says = format!(
                "it has {n} sentences and {n_chars} characters; up to {most} sentences of together {TEXT_CHARS_MAX} characters are shown"
            );
            self.add(at, says);
        }
    }
}

/// Number of sentences of a text.
fn n_sentences(text: &str) -> usize {
    let ends = |pair: &[char]| matches!(pair, ['.' | '?' | '!', ' ' | '\n']);
    let text: Vec<char> = text.trim().chars().collect();
    usize::from(!text.is_empty()) + text.windows(2).filter(|pair| ends(pair)).count()
}

/// Whether a scenario has what is selected.
fn has(cluster: &Cluster, selection: &Selection) -> bool {
    match selection {
        Selection::Queue(name) => cluster.queues.values().any(|queue| *queue.name == **name),
        Selection::Job(name) => cluster.jobs.values().any(|job| *job.name == **name),
        Selection::Node(name) => cluster.nodes.values().any(|node| *node.name == **name),
        Selection::Rule(_) | Selection::Event { .. } => false,
    }
}
