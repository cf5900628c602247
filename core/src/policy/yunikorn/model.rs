//! What the scheduler knows: queues, applications, asks and nodes of one partition.
//!
//! # Rule
//! Everything is reached by number; lists that upstream keeps in maps are kept in ascending byte order of their
//! names, which is one of the orders upstream can walk them in.
//!
//! # Source
//! yunikorn.md 0.6, 1.7

use super::amounts::{Amounts, TYPES_MAX};
use super::config::{self, Limit, Rule, Types};
pub use super::indices::{AppIx, AskIx, NodeIx, QueueIx, ROOT};
use super::node_order::NodeOrder;
use super::priority;
use super::properties::{Properties, Written};
use super::shares::NodeSort;

/// A limit of users and groups, quantities read.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitEntry {
    /// Names, or `*`.
    pub users: Vec<String>,
    /// Names, or `*`.
    pub groups: Vec<String>,
    /// *none* is unlimited.
    pub max: Amounts,
    /// 0 is unlimited.
    pub max_applications: u64,
}

impl LimitEntry {
    /// A limit with its quantities read.
    pub fn read(types: &Types, limit: &Limit) -> LimitEntry {
        LimitEntry {
            users: limit.users.clone(),
            groups: limit.groups.clone(),
            max: config::positive(types, &limit.maxresources),
            max_applications: limit.maxapplications,
        }
    }
}

/// A queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Its own name.
    pub name: String,
    /// From the root.
    pub path: String,
    /// None for the root.
    pub parent: Option<QueueIx>,
    /// By name.
    pub children: Vec<QueueIx>,
    /// Applications live in leaves.
    pub is_leaf: bool,
    /// From the configuration, not made by placement.
    pub managed: bool,
    /// Taken out of the configuration.
    pub draining: bool,
    /// Merged properties as written.
    pub written: Written,
    /// What they mean.
    pub properties: Properties,
    /// *none* where nothing is guaranteed.
    pub guaranteed: Amounts,
    /// *none* where nothing is limited; of the root the sum of the nodes.
    pub max: Amounts,
    /// 0 is unlimited.
    pub max_applications: u64,
    /// Of users and groups.
    pub limits: Vec<LimitEntry>,
    /// For dynamic queues below, own or taken over.
    pub template: Option<config::Template>,
    /// Who may submit.
    pub acls: [String; 2],
    /// Asked for and not allocated, whole subtree.
    pub pending: Amounts,
    /// Allocated, whole subtree.
    pub allocated: Amounts,
    /// Marked to go, whole subtree.
    pub preempting: Amounts,
    /// Applications in state Running, whole subtree.
    pub running: u64,
    /// Accepted applications that hold something, by id; entries outlive their applications.
    pub accepted: Vec<String>,
    /// Applications with reservations and how many, by id. Of leaves.
    pub reserved: Vec<(AppIx, u32)>,
    /// By id. Of leaves.
    pub apps: Vec<AppIx>,
    /// See [`priority`].
    pub raw: i32,
    /// What the parent remembers as effective priority; lags behind a reload.
    pub pushed: i32,
    /// When quota preemption starts, in milliseconds.
    pub quota_start: Option<i64>,
}

impl Queue {
    /// What siblings are compared by.
    pub fn effective(&self) -> i32 {
        priority::effective(self.properties.priority_policy, self.properties.offset, self.raw)
    }
}

/// Where an application stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Without asks.
    New,
    /// Asked, nothing real allocated.
    Accepted,
    /// Something real, or all placeholders, allocated.
    Running,
    /// Nothing left; ends after a while.
    Completing,
    /// The gang timed out, Soft.
    Resuming,
    /// The gang timed out, Hard.
    Failing,
    /// Over.
    Gone,
}

/// A gang's task group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskGroup {
    /// Its name.
    pub name: String,
    /// Placeholder asks seen.
    pub count: u64,
    /// Placeholders replaced by real asks.
    pub replaced: u64,
    /// Placeholders released by a timeout.
    pub timed_out: u64,
}

/// An application.
#[derive(Clone, Debug, PartialEq)]
pub struct App {
    /// Its id.
    pub id: String,
    /// The leaf.
    pub queue: QueueIx,
    /// Who submitted it.
    pub user: String,
    /// Groups of the user.
    pub groups: Vec<String>,
    /// The group whose limits apply, once it was asked for.
    pub group: Option<Option<String>>,
    /// In milliseconds; can move backwards.
    pub submitted: i64,
    /// Where it stands.
    pub state: State,
    /// All asks, pending and allocated, highest priority first.
    pub requests: Vec<AskIx>,
    /// Every request before this place is allocated.
    pub cursor: usize,
    /// Every ask, by key.
    pub asks: Vec<AskIx>,
    /// What is on a node, by key.
    pub allocations: Vec<AskIx>,
    /// Asks with a reservation, by key.
    pub reservations: Vec<AskIx>,
    /// Asked for and not allocated.
    pub pending: Amounts,
    /// Real allocations.
    pub allocated: Amounts,
    /// Placeholder allocations.
    pub placeholder: Amounts,
    /// The whole gang.
    pub placeholder_ask: Amounts,
    /// What a placeholder timeout does: Hard fails, Soft resumes.
    pub hard: bool,
    /// Milliseconds a placeholder may wait.
    pub timeout: i64,
    /// When placeholders time out.
    pub placeholder_due: Option<i64>,
    /// When Completing ends.
    pub completing_due: Option<i64>,
    /// Not tried before, in nanoseconds.
    pub backoff_until: i64,
    /// Largest priority of what is not allocated.
    pub priority: i32,
    /// By name.
    pub groups_of_tasks: Vec<TaskGroup>,
}

/// An ask, and the allocation that becomes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Its key.
    pub key: String,
    /// Whose.
    pub app: AppIx,
    /// How much.
    pub resource: Amounts,
    /// Larger first.
    pub priority: i32,
    /// In milliseconds.
    pub created: i64,
    /// Empty: none.
    pub task_group: String,
    /// Holds a place in a gang.
    pub placeholder: bool,
    /// Empty: any.
    pub required_node: String,
    /// Nodes that must not take it, ascending.
    pub refuses: Vec<NodeIx>,
    /// Drives its application.
    pub originator: bool,
    /// May become a victim.
    pub allow_self: bool,
    /// May cause victims.
    pub allow_other: bool,
    /// Not pending any more; stays so when its node is removed.
    pub allocated: bool,
    /// Where it runs.
    pub node: Option<NodeIx>,
    /// Where it holds a reservation.
    pub reserved: Option<NodeIx>,
    /// Since when, in milliseconds.
    pub reserved_at: i64,
    /// Marked to go.
    pub preempted: bool,
    /// About to be released.
    pub released: bool,
    /// Has had victims marked.
    pub triggered: bool,
    /// When preemption was last considered.
    pub last_check: Option<i64>,
}

impl Ask {
    /// A plain ask that may preempt and be preempted, created at 0.
    pub fn new(key: &str, app: AppIx, resource: Amounts, priority: i32) -> Ask {
        Ask {
            key: key.to_owned(),
            app,
            resource,
            priority,
            created: 0,
            task_group: String::new(),
            placeholder: false,
            required_node: String::new(),
            refuses: Vec::new(),
            originator: false,
            allow_self: true,
            allow_other: true,
            allocated: false,
            node: None,
            reserved: None,
            reserved_at: 0,
            preempted: false,
            released: false,
            triggered: false,
            last_check: None,
        }
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its id.
    pub id: String,
    /// What it has; without zeros.
    pub capacity: Amounts,
    /// What is on it.
    pub allocated: Amounts,
    /// What is left; without zeros; may be negative.
    pub available: Amounts,
    /// Takes new allocations.
    pub schedulable: bool,
    /// The resource manager refuses every pod that is not there yet, whatever the core holds reserved there: Kubernetes,
    /// where the node is unschedulable.
    pub cordoned: bool,
    /// Reservations, by key.
    pub reserved: Vec<AskIx>,
    /// Allocations, by key.
    pub allocations: Vec<AskIx>,
    /// Smaller first.
    pub score: f64,
    /// Not removed.
    pub exists: bool,
    /// Not ready, which to those who require it is as if it did not exist.
    pub down: bool,
}

/// In what the simulated surroundings differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Age, in milliseconds, after which an ask may reserve.
    pub reservation_delay: i64,
    /// Whether the resource manager scores proposals of preemption.
    pub ideal_predicates: bool,
}

/// One partition.
#[derive(Clone, Debug, PartialEq)]
pub struct Core {
    /// Resource types.
    pub types: Types,
    /// Surroundings.
    pub settings: Settings,
    /// Milliseconds.
    pub now: i64,
    /// The root first.
    pub queues: Vec<Queue>,
    /// By number; slots are used again.
    pub apps: Vec<App>,
    /// Live applications, by id.
    pub apps_by_id: Vec<AppIx>,
    /// By number; slots are used again.
    pub asks: Vec<Ask>,
    /// Slots that are free.
    pub free_asks: Vec<AskIx>,
    /// Slots that are free.
    pub free_apps: Vec<AppIx>,
    /// By number; slots are not used again.
    pub nodes: Vec<Node>,
    /// Existing nodes by score and id.
    pub node_order: NodeOrder,
    /// How nodes are ordered.
    pub node_sort: NodeSort,
    /// What each type counts there.
    pub weights: [f64; TYPES_MAX],
    /// Placement rules.
    pub rules: Vec<Rule>,
    /// General preemption.
    pub preemption: bool,
    /// Quota preemption.
    pub quota_preemption: bool,
    /// What users use.
    pub users: Vec<Tracker>,
    /// What groups use.
    pub groups: Vec<Tracker>,
    /// How many reservations there are.
    pub n_reservations: usize,
    /// How many placeholders are allocated.
    pub n_placeholders: usize,
    /// Placeholders and asks that a timeout took, since they were last asked for.
    pub timed_out: Vec<String>,
    /// Placeholders that are asked to go.
    pub releasing: Vec<AskIx>,
    /// Reservations dropped besides the result of the last cycle.
    pub unreserved: Vec<(AskIx, NodeIx)>,
    /// What the last cycle or poll marked to go.
    pub marked: Vec<AskIx>,
    /// For which ask each of them was marked, if it was for one.
    pub marked_for: Vec<Option<AskIx>>,
    /// What all nodes have.
    pub capacity: Amounts,
    /// Whether [`Core::tried`] is kept.
    pub recording: bool,
    /// The asks that the last cycle passed over, and why.
    pub tried: Vec<(AskIx, Skip)>,
}

/// Why an ask was passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// The application may not begin: maxapplications of a queue, or of its user.
    MaxApplications,
    /// The application waits after too many asks that could not be placed.
    Backoff,
    /// It waits for a placeholder to replace.
    Replaceable,
    /// More than its user or group may use.
    UserQuota,
    /// More than its queue may use.
    QueueHeadroom,
    /// The node it requires cannot take it.
    RequiredNode,
    /// No node can take it.
    NoNode,
}

/// What one user or group uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracker {
    /// Name of the user or group.
    pub name: String,
    /// By queue.
    pub used: Vec<Used>,
}

/// What is used in one queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Used {
    /// Allocations, placeholders included.
    pub resource: Amounts,
    /// Applications that count.
    pub apps: Vec<AppIx>,
}
