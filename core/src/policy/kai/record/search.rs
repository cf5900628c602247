//! What searches for victims have tried.

use crate::policy::kai::record::notes::{Notes, Tried};
use crate::policy::kai::session::{Session, SessionState};
use crate::policy::kai::task::{JobRef, NodeRef, TaskRef};
use crate::trace::{Emptied, Search};

impl Notes {
    /// Notes that a search begins.
    pub fn begin_search(&mut self, pods: usize) {
        self.search = Tried::of(pods);
    }

    /// Notes the nodes of a set of victims that is tried, or that certainly does not suffice.
    pub fn tried_nodes(&mut self, state: &SessionState, victims: &[TaskRef]) {
        if self.is_on() {
            let nodes = victims.iter().filter_map(|victim| state.tasks[victim.ix()].node);
            nodes.for_each(|node| self.search.add(node));
        }
    }

    /// Notes that a set sufficed for a number of pods.
    pub fn sufficed(&mut self, pods: usize, emptied: Option<Emptied>) {
        self.search.placed = self.search.placed.max(pods as u32);
        if emptied.is_some() {
            self.search.emptied = emptied;
        }
    }
}

impl Session<'_> {
    /// The record of a search; nothing is evicted yet.
    pub fn search_of(&self, job: JobRef, tried: &Tried) -> Search {
        let id = |node: &NodeRef| self.state.nodes[node.ix()].id;
        Search {
            job: self.facts_of(job).id,
            pods: tried.pods,
            placed: tried.placed,
            tried: tried.sets,
            nodes: tried.nodes.iter().map(id).collect(),
            emptied: tried.emptied.clone(),
            evicted: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// Searches without result of jobs that still wait.
    pub fn failed_searches(&self) -> Vec<Search> {
        let failed_search = |job: JobRef| {
            let note = self.notes.jobs.get(job.ix())?;
            let search = self.search_of(job, note.searched.as_ref()?);
            (search.tried > 0).then(|| Search { taken: note.taken.clone(), ..search })
        };
        self.own_jobs().filter_map(failed_search).collect()
    }
}
