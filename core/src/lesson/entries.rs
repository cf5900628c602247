//! Fields of a lesson file, as typed; [`super::read`] gives them meaning.

use std::collections::BTreeMap;

use crate::format::{Ref, Scalar, Scenario, Shape, SlotMut as Mut, look, shape};

/// A lesson.
#[derive(Clone, Debug, Default)]
pub struct LessonEntry {
    /// What the file is: `fairground-lesson`.
    pub format: String,
    /// The version of the format: `1`.
    pub version: Option<Scalar>,
    /// Title, at most 60 characters.
    pub title: String,
    /// What one learns, in one sentence.
    pub about: String,
    /// Frames in order, at most 20. The last one has suggestions.
    pub frames: Vec<FrameEntry>,
}

/// A frame: a short text about one moment of a run.
#[derive(Clone, Debug, Default)]
pub struct FrameEntry {
    /// Title, at most 60 characters.
    pub title: String,
    /// Text of at most three sentences and 420 characters.
    pub text: String,
    /// Name of the example whose scenario is shown. Default: the scenario of the frame before.
    pub example: Option<String>,
    /// The scenario that is shown, in place of an example.
    pub scenario: Scenario,
    /// Edits of that scenario: paths and values, such as `queues.team-a.gpu.quota: 3`. An empty value unsets the field.
    pub set: BTreeMap<String, Scalar>,
    /// The cycle that is shown. Default: 0, or the cycle of the frame before if the scenario is that of the frame before.
    pub cycle: Option<Scalar>,
    /// The selection, such as `queue:team-a`, `job:a2` or `node:node-1`. Default: none.
    pub select: Option<String>,
    /// The view of NOW, as in links. Default: `shares`.
    pub view: Option<String>,
    /// A question about what happens.
    pub question: QuestionEntry,
    /// Facts of this moment that the text states; tests compare them with the run.
    pub claims: Vec<FactEntry>,
    /// Up to three edits to try, only in the last frame.
    pub suggestions: Vec<SuggestionEntry>,
}

/// A question: the reader predicts, then the answer is read off the run. With `options`, one of them is picked; with a value to
/// compare with (`is`), the statement is true or false; otherwise the answer is a number.
#[derive(Clone, Debug, Default)]
pub struct QuestionEntry {
    /// The question, or the statement that is true or false.
    pub asks: String,
    /// Names of queues, jobs or nodes to pick from, two to six.
    pub options: Vec<String>,
    /// The fact that answers the question, without `of` if there are options.
    pub answer: FactEntry,
    /// Edits that the answer shows.
    pub set: BTreeMap<String, Scalar>,
    /// The cycle that the answer shows. Default: that of the frame.
    pub cycle: Option<Scalar>,
    /// The selection that the answer shows. Default: the subject of the answer.
    pub select: Option<String>,
    /// The view that the answer shows. Default: that of the frame.
    pub view: Option<String>,
    /// The reason, at most two sentences.
    pub because: String,
    /// Facts of the moment of the answer.
    pub claims: Vec<FactEntry>,
}

/// A fact of a moment of the run.
#[derive(Clone, Debug, Default)]
pub struct FactEntry {
    /// Kind of the fact. Of a queue: `allocated` or `fair-share`. Of a job: `running` or `pending` pods; `started`, `evicted` or
    /// `moved` pods in this cycle; `first-start` in seconds. Of a node, or of all nodes: `free`.
    pub fact: String,
    /// Name of the queue, job or node.
    pub of: Option<String>,
    /// Resource of amounts: `gpu`, `cpu` or `memory`. Default: `gpu`.
    pub resource: Option<String>,
    /// Node pool of amounts of queues. Default: all pools together.
    pub pool: Option<String>,
    /// The value: GPUs, cores, GiB, pods or seconds.
    pub is: Option<Scalar>,
}

/// An edit to try.
#[derive(Clone, Debug, Default)]
pub struct SuggestionEntry {
    /// Label of the button.
    pub label: String,
    /// Edits: paths and values.
    pub set: BTreeMap<String, Scalar>,
}

shape! { LessonEntry:
    0 "format" format Text,
    1 "version" version Value,
    2 "title" title Text,
    3 "about" about Text,
    4 "frames" frames Rows,
}

shape! { FrameEntry:
    0 "title" title Text,
    1 "text" text Text,
    2 "example" example Name,
    3 "scenario" scenario Part,
    4 "set" set Settings,
    5 "cycle" cycle Value,
    6 "select" select Name,
    7 "view" view Name,
    8 "question" question Part,
    9 "claims" claims Rows,
    10 "suggestions" suggestions Rows,
}

shape! { QuestionEntry:
    0 "asks" asks Text,
    1 "options" options Texts,
    2 "answer" answer Part,
    3 "set" set Settings,
    4 "cycle" cycle Value,
    5 "select" select Name,
    6 "view" view Name,
    7 "because" because Text,
    8 "claims" claims Rows,
}

shape! { FactEntry:
    0 "fact" fact Text,
    1 "of" of Name,
    2 "resource" resource Name,
    3 "pool" pool Name,
    4 "is" is Value,
}

shape! { SuggestionEntry:
    0 "label" label Text,
    1 "set" set Settings,
}
