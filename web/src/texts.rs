//! Writes all texts of the page to one file, `target/texts.txt`, grouped by screen, for proofreading: text, names and
//! tooltips of elements, and the sentences of every decision of every example.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fairground::policy::Policy;
use fairground::scenario::Path;
use fairground::words::Selection;
use fairground::words::{Terms, decided, waiting};
use leptos::prelude::*;

use crate::engine::protocol::FileBytes;
use crate::engine::serve::Server;
use crate::first_frame::answer;
use crate::library::{EXAMPLES, Example};
use crate::page::lay_out;
use crate::shell::app::App;
use crate::state::branches::Others;
use crate::state::command::Command;
use crate::state::document::{Opened, Origin};
use crate::state::layout::options::{Dialog, NowView, SetupTab};
use crate::state::model::Model;
use crate::state::update::{begin, update};
use crate::store::Store;
use crate::words::step_sentence;

/// Policy of the screens.
const POLICY: &str = Policy::DEFAULT.key;
/// The example with the share usage view.
const SHARE_USAGE: &str = "ego-share-usage";
/// The example with warnings in Fairness.
const WARNINGS: &str = "tug-of-war";
/// Imported files.
const IMPORTS: [(&str, &str); 2] = [
    (
        "projects.json",
        r#"{"projects": [{"name": "vision", "departmentName": "research", "resources": [
            {"nodePool": {"name": "default"}, "gpu": {"deserved": 4, "overQuotaWeight": 2}}]}]}"#,
    ),
    ("trace.csv", "job_id,user,vc,submit_time,duration,num_gpus\n1,ann,vision,0,60,2\n2,bob,speech,30,60,1\n"),
];
/// Largest number of cycles whose decisions are written, per example.
const CYCLES: u32 = 8;

/// A running scenario and its engine.
struct Page {
    model: Model,
    server: Server,
}

impl Page {
    fn open(example: &Example) -> Page {
        let origin = if example.id == EXAMPLES[0].id { Origin::Start } else { Origin::Example(example.id.into()) };
        let mut model = Model::new(Opened::new(example.scenario(), origin));
        let mut server = Server::default();
        let todo = begin(&mut model);
        answer(&mut model, &mut server, todo);
        lay_out(&mut model, 1440.0);
        Page { model, server }
    }

    fn does(mut self, command: Command) -> Page {
        let todo = update(&mut self.model, command);
        answer(&mut self.model, &mut self.server, todo);
        self
    }

    /// Text, names and tooltips of all elements, in document order.
    fn texts(mut self) -> Vec<String> {
        // Rendering starts the timers that close notices, so they are collected before.
        let notices = std::mem::take(&mut self.model.notices);
        let owner = Owner::new();
        let markup = owner.with(|| {
            provide_context(Store::new(self.model));
            view! { <App /> }.to_html()
        });
        let messages = notices.iter().map(|notice| notice.text.clone());
        messages.chain(texts_of(&markup)).collect()
    }
}

/// Attributes with text that is read or spoken.
const SPOKEN: [&str; 4] = ["aria-label", "title", "placeholder", "aria-valuetext"];

fn texts_of(markup: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut line = String::new();
    for piece in markup.split_inclusive('>') {
        let (text, tag) = piece.split_once('<').unwrap_or((piece, ""));
        line.push_str(text);
        let is_inline = ["b>", "code", "i>", "i ", "em", "!", "/b", "/i", "/em", "/code"];
        if tag.is_empty() || is_inline.iter().any(|name| tag.starts_with(name)) {
            continue;
        }
        texts.push(std::mem::take(&mut line));
        for name in SPOKEN {
            let value = tag.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split_once('"'));
            texts.extend(value.map(|(value, _)| value.to_string()));
        }
    }
    let plain = |text: String| {
        let text = text.replace("&quot;", "\"").replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">");
        text.replace("&amp;", "&").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let is_said = |text: &String| text.chars().any(char::is_alphabetic);
    texts.into_iter().map(plain).filter(is_said).collect()
}

/// Leads to a screen.
type Lead = Box<dyn Fn(Page) -> Page>;

fn screens() -> Vec<(String, Lead)> {
    let mut screens: Vec<(String, Lead)> = vec![("start".into(), Box::new(|page| page))];
    let mut add = |name: String, commands: Vec<Command>| {
        let lead = move |page: Page| commands.iter().cloned().fold(page, Page::does);
        screens.push((name, Box::new(lead)));
    };
    for tab in [SetupTab::Nodes, SetupTab::Work, SetupTab::Rules, SetupTab::Text] {
        add(format!("setup: {tab:?}"), vec![Command::Tab(tab)]);
    }
    for (list, name) in [("queues", "team-a"), ("nodes", "node"), ("jobs", "b2")] {
        let at = Path::default().field(list).named(name);
        add(format!("form: {list}"), vec![Command::Detail(Some(at))]);
    }
    for view in NowView::ALL.into_iter().filter(|view| view.under(POLICY) == *view && *view != NowView::Compare) {
        add(format!("view: {view:?}"), vec![Command::Step, Command::Step, Command::ShowView(view)]);
    }
    let selected = |selection| vec![Command::Step, Command::Why(true), Command::Select(Some(selection))];
    add("why: queue".into(), selected(Selection::Queue("team-b".into())));
    add("why: job".into(), selected(Selection::Job("b2".into())));
    add("why: node".into(), selected(Selection::Node("node-1".into())));
    add(
        "edited".into(),
        vec![
            Command::Step,
            Command::Step,
            Command::Set {
                at: Path::default().field("queues").named("team-a").field("gpu").field("quota"),
                value: "3".into(),
            },
        ],
    );
    for dialog in [
        Dialog::Examples,
        Dialog::States,
        Dialog::Share,
        Dialog::Fidelity,
        Dialog::Help,
        Dialog::About,
        Dialog::Keys,
        Dialog::GoTo,
        Dialog::Palette,
        Dialog::Paste,
        Dialog::Reset,
        Dialog::ResultCode("FG1-quota-1a2b3c4d-rwn".into()),
        Dialog::Results,
        Dialog::Term("fair share"),
        Dialog::BadLink("the link is incomplete".into()),
    ] {
        add(format!("dialog: {dialog:?}"), vec![Command::Dialog(Some(dialog))]);
    }
    add("compare policies".into(), vec![Command::Compare(Others::default())]);
    add("compare versions".into(), vec![Command::Compare(Others::Versions)]);
    for (name, text) in IMPORTS {
        let files = vec![(name.to_string(), FileBytes::of(text))];
        add(format!("dialog: Import of {name}"), vec![Command::Import { files, options: Default::default() }]);
    }
    let other = Command::Policy(Policy::NAMES[2].into());
    add("dialog: Translated".into(), vec![other, Command::Dialog(Some(Dialog::Translated))]);
    let edit = Command::Set {
        at: Path::default().field("queues").named("team-a").field("gpu").field("quota"),
        value: "3".into(),
    };
    add("kept runs".into(), vec![Command::Step, Command::KeepRun, edit, Command::Step]);
    screens
}

/// The decisions of a run, cycle by cycle: the sentence of each step and its explanations, without repetitions.
fn decisions(example: &Example) -> Vec<String> {
    let mut page = Page::open(example);
    let (mut lines, mut given) = (Vec::new(), BTreeSet::new());
    for cycle in 1..=CYCLES {
        page = page.does(Command::Step);
        let Some(frame) = page.model.moment.frame.clone().filter(|frame| frame.cycle == cycle) else { break };
        lines.push(format!("cycle {cycle}: {}", step_sentence(&frame).spoken()));
        let decided = decided(&frame).into_iter().map(|(_, explained)| explained);
        let waits = frame.refusals.iter().map(|refusal| waiting(&frame, refusal));
        for explained in decided.chain(waits) {
            let said = explained.lines();
            if given.insert(said.clone()) {
                lines.extend(said.into_iter().map(|line| format!("    {line}")));
            }
        }
    }
    lines
}

/// Whether a screen shows a run: charts, explanations, and what an edit changes. Other screens also describe other
/// products.
fn shows_run(screen: &str) -> bool {
    ["view: ", "why: ", "edited", "kept runs"].iter().any(|beginning| screen.starts_with(beginning))
}

/// A word of a text for which the policy has its own. Parts of the policy's own terms, such as *quota* in *share
/// quota*, and words joined to names are allowed.
pub fn foreign_word(text: &str, terms: &Terms) -> Option<&'static str> {
    let mut own: Vec<&str> = terms.pairs.iter().map(|(_, own)| *own).chain(["share usage quota"]).collect();
    own.sort_by_key(|own| std::cmp::Reverse(own.len()));
    let text = own.iter().fold(text.to_lowercase(), |text, own| text.replace(own, "…"));
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/');
    let is_whole = |word: &str, at: usize| !text[..at].ends_with(joins) && !text[at + word.len()..].starts_with(joins);
    let has = |word: &str| text.match_indices(word).any(|(at, _)| is_whole(word, at));
    let replaced = terms.pairs.iter().filter(|(neutral, own)| !own.contains(neutral));
    let evicts = (terms.word("evicted") != "evicted").then_some("evict");
    evicts
        .filter(|verb| text.contains(verb))
        .or_else(|| replaced.map(|(neutral, _)| *neutral).find(|neutral| *neutral != "claimed" && has(neutral)))
}

/// Whether a text shows a mark, such as `[queue]`, in the place of a word.
fn has_mark(text: &str) -> bool {
    let is_word = |mark: &str| mark.chars().all(|c| c.is_ascii_alphabetic() || c == ' ');
    let marks = text.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    marks.map(|(mark, _)| mark.trim()).any(|mark| !mark.is_empty() && is_word(mark))
}

#[test]
fn all_texts_are_written() {
    let mut file = String::new();
    let mut seen = BTreeSet::new();
    let start = &EXAMPLES[0];
    for (name, lead) in screens() {
        let texts = lead(Page::open(start)).texts();
        assert!(texts.iter().any(|text| text.contains(' ')), "nothing is said on {name}");
        // Texts that occur on several screens are written with the first.
        let own: Vec<String> = texts.into_iter().filter(|text| seen.insert(text.clone())).collect();
        assert!(!own.is_empty(), "{name} says nothing of its own");
        let _ = writeln!(file, "== {name}\n{}\n", own.join("\n"));
    }
    let mut foreign = Vec::new();
    for policy in &Policy::NAMES[1..] {
        let terms = Terms::of(policy);
        for (name, lead) in screens() {
            let texts = lead(Page::open(start).does(Command::Policy((*policy).into()))).texts();
            let own = texts.into_iter().filter(|text| seen.insert(format!("{policy} {text}")));
            let own: Vec<String> = own.collect();
            let words = own.iter().filter(|_| shows_run(&name));
            foreign
                .extend(words.filter_map(|text| {
                    Some(format!("{policy}, {name} says {:?}: {text}", foreign_word(text, terms)?))
                }));
            let _ = writeln!(file, "== {policy}: {name}\n{}\n", own.join("\n"));
        }
    }
    let usage = EXAMPLES.iter().find(|example| example.id == SHARE_USAGE).expect("an example");
    let usage = Page::open(usage).does(Command::Step).does(Command::ShowView(NowView::ShareUsage)).texts();
    let _ = writeln!(file, "== view: ShareUsage\n{}\n", usage.join("\n"));
    let warned = EXAMPLES.iter().find(|example| example.id == WARNINGS).expect("an example");
    let steps = (0..12).fold(Page::open(warned), |page, _| page.does(Command::Step));
    let warned = steps.does(Command::ShowView(NowView::Fairness)).texts();
    let _ = writeln!(file, "== view: Fairness with warnings\n{}\n", warned.join("\n"));
    for example in EXAMPLES {
        let lines = decisions(example);
        assert!(lines.len() > 1, "nothing is decided in {}", example.id);
        let _ = writeln!(file, "== decisions of {} ({})\n{}\n", example.id, example.head("name"), lines.join("\n"));
    }
    let left: Vec<&str> = file.lines().filter(|line| has_mark(line)).collect();
    assert!(left.is_empty(), "marks are not filled:\n{}", left.join("\n"));
    assert!(foreign.is_empty(), "words of other policies:\n{}", foreign.join("\n"));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");
    std::fs::create_dir_all(folder).expect("the target folder");
    let path = format!("{folder}/texts.txt");
    std::fs::write(path, file).expect("the target folder can be written");
}

#[test]
fn a_foreign_word_is_found() {
    let ego = Policy::ALL.iter().find(|policy| policy.terms.word("queue") == "consumer").expect("a policy").terms;
    assert_eq!(foreign_word("Queue team-a", ego), Some("queue"));
    assert_eq!(foreign_word("no allowed set of evictions", ego), Some("evict"));
    assert_eq!(foreign_word("its share usage quota and share quota on node-1", ego), None);
    assert_eq!(foreign_word("3 reclaims in queues", &Terms::PLAIN), None);
}

#[test]
fn texts_are_read_off_markup() {
    let markup =
        r#"<p title="a &amp; b">Two <b>words</b> here</p><input placeholder="name"><i class="x"></i>7<p>9</p>"#;
    assert_eq!(texts_of(markup), ["a & b", "Two words here", "name"]);
}
