//! The queue tree: built from the configuration, extended by placement, updated by a reload.
//!
//! # Rule
//! A maximum or guarantee counts only if it is positive. Dynamic queues inherit no properties; a dynamic leaf uses
//! its parent's template. A reload changes queues in place; queues missing from it become Draining.
//!
//! # Source
//! yunikorn.md 1.2, 1.4, 2.5, 5.8

use super::amounts::{self, Amounts};
use super::config::{self, Partition, Template};
use super::model::{Core, LimitEntry, Queue, QueueIx, ROOT, Settings};
use super::priority;
use super::properties::{Properties, Written, inherit};

impl Core {
    /// Creates a partition without nodes and applications.
    pub fn new(partition: &Partition, types: Vec<String>, settings: Settings) -> Core {
        let mut core = Core { types, settings, ..Core::default() };
        core.apply(partition);
        core
    }

    /// Applies a validated configuration, the first one or a reload.
    pub fn apply(&mut self, partition: &Partition) {
        self.node_sort = partition.node_sort();
        self.weights = partition.weights(&self.types);
        self.rules.clone_from(&partition.placementrules);
        self.preemption = partition.preemption_enabled();
        self.quota_preemption = partition.preemption.quotapreemptionenabled;
        let root = partition.root();
        if self.queues.is_empty() {
            self.add_queue(None, "root", false, true);
            self.queues[ROOT].max_applications = root.maxapplications;
        }
        self.configure(ROOT, &root, &Written::new());
        self.score_all_nodes();
    }

    pub(super) fn add_queue(&mut self, parent: Option<QueueIx>, name: &str, is_leaf: bool, managed: bool) -> QueueIx {
        let path = match parent {
            None => name.to_owned(),
            Some(parent) => [&self.queues[parent].path, ".", name].concat(),
        };
        let ix = self.queues.len();
        self.queues.push(Queue {
            name: name.to_owned(),
            path,
            parent,
            is_leaf,
            managed,
            guaranteed: Amounts::NONE,
            max: Amounts::NONE,
            raw: priority::MIN,
            pushed: priority::MIN,
            ..Queue::default()
        });
        if let Some(parent) = parent {
            let index = self.queues[parent].children.partition_point(|&c| self.queues[c].name.as_str() < name);
            self.queues[parent].children.insert(index, ix);
        }
        ix
    }

    pub(super) fn child(&self, parent: QueueIx, name: &str) -> Option<QueueIx> {
        let children = &self.queues[parent].children;
        let index = children.binary_search_by(|&c| self.queues[c].name.as_str().cmp(name)).ok()?;
        Some(children[index])
    }

    fn configure(&mut self, ix: QueueIx, source: &config::Queue, inherited_properties: &Written) {
        let written = inherit(inherited_properties, &source.properties);
        let (max, guaranteed) = (
            config::positive(&self.types, &source.resources.max),
            config::positive(&self.types, &source.resources.guaranteed),
        );
        let limits = source.limits.iter().map(|l| LimitEntry::read(&self.types, l)).collect();
        let inherited = self.queues[ix].parent.and_then(|p| self.queues[p].template.clone());
        let old_delay = self.queues[ix].properties.quota_delay;
        let queue = &mut self.queues[ix];
        queue.draining = false;
        queue.is_leaf = !source.parent && source.queues.is_empty();
        queue.properties = Properties::read(&written);
        queue.limits = limits;
        queue.acls = [source.submitacl.clone(), source.adminacl.clone()];
        queue.template = own_template(&source.childtemplate).or(inherited);
        let old_max = queue.max;
        // A nested queue named `root` never gets resources either.
        if queue.name != "root" {
            queue.max_applications = source.maxapplications;
            queue.max = max;
            queue.guaranteed = guaranteed;
            self.schedule_quota(ix, &old_max, old_delay);
        }
        let names: Vec<String> = source.queues.iter().map(|q| q.name.to_lowercase()).collect();
        for child in self.queues[ix].children.clone() {
            if self.queues[child].managed && !names.contains(&self.queues[child].name) {
                self.drain(child);
            }
        }
        for (child, name) in source.queues.iter().zip(&names) {
            let leaf = !child.parent && child.queues.is_empty();
            let child_ix = self.child(ix, name).unwrap_or_else(|| self.add_queue(Some(ix), name, leaf, true));
            self.queues[child_ix].managed = true;
            self.configure(child_ix, child, &written);
        }
        self.queues[ix].written = written;
    }

    fn drain(&mut self, ix: QueueIx) {
        if self.queues[ix].managed {
            self.queues[ix].draining = true;
            for child in self.queues[ix].children.clone() {
                self.drain(child);
            }
        }
    }

    /// Schedules quota preemption after a reload; see [`super::quota`].
    fn schedule_quota(&mut self, ix: QueueIx, old_max: &Amounts, old_delay: i64) {
        let now = self.now;
        let queue = &mut self.queues[ix];
        let delay = queue.properties.quota_delay;
        let over = !amounts::ge_existing(&queue.max, &queue.allocated);
        if queue.max.is_none() || delay == 0 || !over {
            queue.quota_start = None;
        } else if let Some(start) = queue.quota_start {
            queue.quota_start = Some(start + (delay - old_delay) / 1_000_000);
        } else if !old_max.is_none() {
            let lowered = amounts::gt(old_max, &queue.max);
            let switched_on = old_delay == 0 && amounts::equal(old_max, &queue.max);
            if lowered || switched_on {
                queue.quota_start = Some(now + delay / 1_000_000);
            }
        }
    }

    /// Creates a dynamic queue below `parent`.
    pub(super) fn add_dynamic(&mut self, parent: QueueIx, name: &str, is_leaf: bool) -> QueueIx {
        let ix = self.add_queue(Some(parent), name, is_leaf, false);
        let template = self.queues[parent].template.clone();
        if let (true, Some(template)) = (is_leaf, &template) {
            let queue = &mut self.queues[ix];
            queue.written.clone_from(&template.properties);
            queue.properties = Properties::read(&template.properties);
            queue.max_applications = template.maxapplications;
            queue.max = config::positive(&self.types, &template.resources.max);
            queue.guaranteed = config::positive(&self.types, &template.resources.guaranteed);
        }
        self.queues[ix].template = template;
        ix
    }
}

/// Returns the template unless it is empty; entries with an empty value are dropped.
fn own_template(template: &Template) -> Option<Template> {
    let mut merged = template.clone();
    merged.properties.retain(|_, value| !value.is_empty());
    merged.resources.guaranteed.retain(|_, value| !value.is_empty());
    merged.resources.max.retain(|_, value| !value.is_empty());
    (merged != Template::default()).then_some(merged)
}
