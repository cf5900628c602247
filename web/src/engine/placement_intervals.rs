//! One interval per placement of a pod, recorded while the run is computed.

use fairground::cluster::{Cluster, Devices, Phase, Restart};
use fairground::id::{Id, NodeId, PodId};
use fairground::moment::{self, EventWord};
use fairground::sim::CycleRecord;
use fairground::trace::Event;

/// A placement of a pod, from the cycle in which it was placed up to the cycle in which it was released (exclusive).
#[derive(Clone, Debug, PartialEq)]
pub struct PlacementInterval {
    pub pod: PodId,
    pub node: NodeId,
    /// Devices on the node.
    pub devices: Devices,
    /// The cycle in which it was placed.
    pub from: u32,
    /// The cycle in which it was evicted, and the kind of eviction.
    pub evicted: Option<(u32, EventWord)>,
    /// The first cycle in which it is released; `None`: still placed.
    pub to: Option<u32>,
    /// Its work is lost and has to be repeated.
    pub lost: bool,
}

/// Lifetime of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// The cycle of its submission.
    pub from: Option<u32>,
    /// The cycle in which it ended.
    pub to: Option<u32>,
    /// Why it will never start, with the first cycle in which that is known.
    pub fate: Option<(u32, &'static str)>,
}

/// All intervals of a run.
#[derive(Clone, Debug, Default)]
pub struct PlacementIntervals {
    /// Ordered by start.
    pub all: Vec<PlacementInterval>,
    /// Indexed by job.
    pub jobs: Vec<Known>,
    /// Index into `all` of a pod's open interval, by pod.
    open: Vec<Option<u32>>,
}

impl PlacementIntervals {
    /// Intervals that are open when the run begins.
    pub fn new(cluster: &Cluster) -> PlacementIntervals {
        let mut placement_intervals = PlacementIntervals {
            all: Vec::new(),
            jobs: vec![Known::default(); cluster.jobs.ids().count()],
            open: vec![None; cluster.pods.ids().count()],
        };
        for (id, pod) in cluster.pods.iter() {
            if let (true, Some(node)) = (pod.phase.holds(), pod.node) {
                placement_intervals.begin(id, node, pod.devices, 0);
            }
        }
        placement_intervals
    }

    /// Adds the next cycle.
    pub fn push(&mut self, cluster: &Cluster, record: &CycleRecord) {
        let cycle = record.cycle;
        for refusal in record.refusals.iter() {
            let fate = moment::fate(&refusal.gate).map(|fate| (cycle, fate));
            let known = &mut self.jobs[refusal.job.index()];
            known.fate = known.fate.or(fate);
        }
        for recorded in &record.events {
            match recorded.event {
                Event::Joined { .. } => {}
                Event::Submitted { job } => self.jobs[job.index()].from = Some(cycle),
                Event::JobDone { job } | Event::JobEvicted { job } => self.jobs[job.index()].to = Some(cycle),
                Event::Bound { pod, node, devices } | Event::Found { pod, node, devices } => {
                    self.begin(pod, node, devices, cycle)
                }
                Event::Evicted { pod, .. } => {
                    let kind = EventWord::of_event(&recorded.event);
                    if let Some(interval) = self.present(pod) {
                        interval.evicted = Some((cycle, kind));
                    }
                }
                Event::Gone { pod, .. } | Event::Finished { pod, .. } => {
                    let was_done = matches!(recorded.event, Event::Finished { .. });
                    if let Some(interval) = self.present(pod) {
                        interval.to = Some(cycle);
                        // A withdrawn pod does not restart: its work is over, not lost.
                        let pod = &cluster.pods[pod];
                        interval.lost = !was_done
                            && !matches!(pod.phase, Phase::Removed { .. })
                            && cluster.jobs[pod.job].restart != Restart::Resume;
                    }
                    self.open[pod.index()] = None;
                }
                Event::DevicesChanged { .. }
                | Event::Claimed { .. }
                | Event::Unclaimed { .. }
                | Event::Requeued { .. }
                | Event::NotReplaced { .. }
                | Event::Offered { .. }
                | Event::SetAside { .. }
                | Event::Changed { .. } => {}
            }
        }
    }

    /// Groups the intervals into rows; `row` maps an interval to its row.
    pub fn by_row(
        &self,
        n: usize,
        row_of: impl Fn(&PlacementInterval) -> Option<usize>,
    ) -> Vec<Vec<&PlacementInterval>> {
        let mut rows = vec![Vec::new(); n];
        for interval in &self.all {
            if let Some(row) = row_of(interval) {
                rows[row].push(interval);
            }
        }
        rows
    }

    fn begin(&mut self, pod: PodId, node: NodeId, devices: Devices, from: u32) {
        if self.open[pod.index()].is_none() {
            self.open[pod.index()] = Some(self.all.len() as u32);
            self.all.push(PlacementInterval { pod, node, devices, from, evicted: None, to: None, lost: false });
        }
    }

    fn present(&mut self, pod: PodId) -> Option<&mut PlacementInterval> {
        self.open[pod.index()].and_then(|at| self.all.get_mut(at as usize))
    }
}
