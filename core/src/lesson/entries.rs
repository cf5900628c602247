//! Fields of a lesson file, one row each, as typed; [`super::read`] gives them meaning.

use std::collections::BTreeMap;

use crate::format::{Scalar, Scenario, entry};

entry! {
    /// A lesson.
    LessonEntry {
        /// What the file is: `fairground-lesson`.
        format: String = 0 "format",
        /// The version of the format: `1`.
        version: Option<Scalar> = 1 "version",
        /// Title, at most 60 characters.
        title: String = 2 "title",
        /// What one learns, in one sentence.
        about: String = 3 "about",
        /// Frames in order, at most 20.
        frames: Vec<FrameEntry> = 4 "frames",
    }
}

entry! {
    /// A frame: a short text about one moment of a run.
    FrameEntry {
        /// Title, at most 60 characters.
        title: String = 0 "title",
        /// Text of at most three sentences and 420 characters.
        text: String = 1 "text",
        /// Name of the example whose scenario is shown. Default: the scenario of the frame before.
        example: Option<String> = 2 "example",
        /// The scenario that is shown, in place of an example.
        scenario: Scenario = 3 "scenario",
        /// Edits of that scenario: paths and values, such as `queues.team-a.gpu.quota: 3`. An empty value unsets the
        /// field.
        set: BTreeMap<String, Scalar> = 4 "set",
        /// The cycle that is shown. Default: 0, or the cycle of the frame before if the scenario is that of the frame
        /// before.
        cycle: Option<Scalar> = 5 "cycle",
        /// The selection, such as `queue:team-a`, `job:a2` or `node:node-1`. Default: none.
        select: Option<String> = 6 "select",
        /// The view of NOW, as in links. Default: `shares`.
        view: Option<String> = 7 "view",
        /// A question about what happens.
        question: QuestionEntry = 8 "question",
        /// Facts of this moment that the text states; tests compare them with the run.
        claims: Vec<FactEntry> = 9 "claims",
        /// Up to three edits to try, only in the last frame.
        suggestions: Vec<SuggestionEntry> = 10 "suggestions",
        /// Notes for the speaker, at most 1000 characters, shown in a window of their own.
        notes: String = 11 "notes",
        /// The node pool whose numbers are shown. Default: all pools together.
        pool: Option<String> = 12 "pool",
    }
}

entry! {
    /// A question: the reader predicts, then the answer is read off the run. With `options`, one of them is picked; with
    /// `order`, names are put in order; with a value to compare with (`is`), the statement is true or false; otherwise
    /// the answer is a number.
    QuestionEntry {
        /// The question, or the statement that is true or false.
        asks: String = 0 "asks",
        /// Names of queues, jobs or nodes to pick from, two to six.
        options: Vec<String> = 1 "options",
        /// The fact that answers the question, without `of` if there are names to pick from or to put in order.
        answer: FactEntry = 2 "answer",
        /// Edits that the answer shows.
        set: BTreeMap<String, Scalar> = 3 "set",
        /// The cycle that the answer shows. Default: that of the frame.
        cycle: Option<Scalar> = 4 "cycle",
        /// The selection that the answer shows. Default: the subject of the answer.
        select: Option<String> = 5 "select",
        /// The view that the answer shows. Default: that of the frame.
        view: Option<String> = 6 "view",
        /// The reason, at most two sentences.
        because: String = 7 "because",
        /// Facts of the moment of the answer.
        claims: Vec<FactEntry> = 8 "claims",
        /// The node pool that the answer shows. Default: that of the frame.
        pool: Option<String> = 9 "pool",
        /// Names of queues, jobs or nodes to put in order, two to six: the largest value first, of `first-start` the
        /// earliest.
        order: Vec<String> = 10 "order",
    }
}

entry! {
    /// A fact of a moment of the run.
    FactEntry {
        /// Kind of the fact. Of a queue: `allocated` or `fair-share`. Of a job: `running` or `pending` pods; `started`,
        /// `evicted` or `moved` pods in this cycle; `first-start` in seconds. Of a node, or of all nodes: `free`.
        fact: String = 0 "fact",
        /// Name of the queue, job or node.
        of: Option<String> = 1 "of",
        /// Resource of amounts: `gpu`, `cpu` or `memory`. Default: `gpu`.
        resource: Option<String> = 2 "resource",
        /// Node pool of amounts of queues. Default: all pools together.
        pool: Option<String> = 3 "pool",
        /// The value: GPUs, cores, GiB, pods or seconds.
        is: Option<Scalar> = 4 "is",
    }
}

entry! {
    /// An edit to try.
    SuggestionEntry {
        /// Label of the button.
        label: String = 0 "label",
        /// Edits: paths and values.
        set: BTreeMap<String, Scalar> = 1 "set",
    }
}
