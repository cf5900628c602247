//! The lessons that are published beside the page. They are fetched when they are opened.

pub mod fetch;

use std::sync::Arc;

use fairground::lesson::{Known, Lesson, Mistake, read_unfinished};

use crate::library::Example;
use crate::state::layout::options::NowView;

/// A lesson in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// File name without extension.
    pub id: &'static str,
    pub title: &'static str,
    pub about: &'static str,
    /// Number of frames.
    pub frames: usize,
}

/// All lessons, in the order in which they build on each other.
pub const LESSONS: &[Listed] = &[
    Listed {
        id: "fair-share",
        title: "Fair share by water filling",
        about: "How a scheduler divides a cluster among queues that want more than there is.",
        frames: 7,
    },
    Listed {
        id: "weights",
        title: "Weights and remainders",
        about: "How unequal parts are computed, and who gets the GPU that cannot be divided.",
        frames: 6,
    },
    Listed {
        id: "quota",
        title: "A quota is a floor, a limit a ceiling",
        about: "What a quota guarantees, what it does not reserve, and what a limit forbids.",
        frames: 7,
    },
    Listed {
        id: "priority",
        title: "Priority is not weight",
        about: "Why a weight of 100 can get nothing, and what the priority of a job is for.",
        frames: 7,
    },
    Listed {
        id: "hierarchy",
        title: "Departments and projects",
        about: "How GPUs are divided level by level, and why a department decides about its projects.",
        frames: 7,
    },
    Listed {
        id: "reclaim",
        title: "Reclaim for fair share and for quota",
        about: "When a queue may take GPUs from another one, and which two reasons there are.",
        frames: 7,
    },
    Listed {
        id: "saturation",
        title: "The saturation ratio and its multiplier",
        about: "How KAI keeps departments from taking GPUs from each other in turns.",
        frames: 5,
    },
    Listed {
        id: "victims",
        title: "Which job goes, and why the youngest",
        about: "The order in which jobs are evicted, and what protects them.",
        frames: 6,
    },
    Listed {
        id: "gangs",
        title: "Gangs, fragments and consolidation",
        about: "Why a job can wait although enough GPUs are free, and how moving a job helps.",
        frames: 7,
    },
    Listed {
        id: "past",
        title: "The past counts",
        about: "How time-based fair share gives less to those who had more.",
        frames: 7,
    },
    Listed {
        id: "runai-pools",
        title: "Run:ai's projects over node pools",
        about: "The documentation's own example, 6 + 10 = 16, and what a node pool changes.",
        frames: 7,
    },
    Listed {
        id: "yunikorn-priorities",
        title: "YuniKorn's priorities and offsets",
        about: "How priorities travel up the queue tree and change with every placement.",
        frames: 6,
    },
    Listed {
        id: "yunikorn-fences",
        title: "YuniKorn's fences, in eleven steps",
        about: "Eleven applications in a tree with offsets and fences, placed one by one.",
        frames: 9,
    },
    Listed {
        id: "ego-share-usage",
        title: "EGO's share usage quota",
        about: "The documentation's example of thirds, and how EGO assigns unit by unit.",
        frames: 7,
    },
    Listed {
        id: "four-schedulers",
        title: "The same day under four schedulers",
        about: "One cluster and the same jobs under KAI, Run:ai, YuniKorn and EGO.",
        frames: 7,
    },
];

/// Number of mistakes that are shown together.
const MISTAKES_MAX: usize = 8;

/// The listed lesson of a file name.
pub fn find(id: &str) -> Option<&'static Listed> {
    LESSONS.iter().find(|lesson| lesson.id == id)
}

/// Where a link to a lesson leads.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkedLesson {
    Listed(&'static Listed),
    /// One that the link contains.
    Own(Arc<Lesson>),
}

/// Reads a lesson file; `Err` describes its mistakes.
pub fn parse(text: &str) -> Result<Lesson, String> {
    match unfinished(text) {
        (lesson, mistakes) if mistakes.is_empty() => Ok(lesson),
        (_, mistakes) => {
            let shown: Vec<String> = mistakes.iter().take(MISTAKES_MAX).map(ToString::to_string).collect();
            let more = match mistakes.len().saturating_sub(MISTAKES_MAX) {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            Err(format!("The lesson cannot be read. {}{more}.", shown.join("; ")))
        }
    }
}

/// Reads what there is of a lesson, with its mistakes.
pub fn unfinished(text: &str) -> (Lesson, Vec<Mistake>) {
    let views = NowView::ALL.map(NowView::name);
    let example = |id: &str| Some(Example::find(id)?.scenario());
    read_unfinished(text, Known { example: &example, views: &views })
}
