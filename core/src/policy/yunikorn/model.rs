//! Data model of one partition: queues, applications, asks and nodes.
//!
//! # Rule
//! Objects refer to each other by index. Lists that are maps upstream are sorted in ascending byte order of their
//! names, one of the possible iteration orders of upstream.
//!
//! # Source
//! yunikorn.md 0.6, 1.7

use super::amounts::{self, Amounts, TYPES_MAX};
use super::config::{self, Limit, Rule, Types};
pub use super::indices::{AppIx, AskIx, NodeIx, QueueIx, ROOT};
use super::node_order::NodeOrder;
use super::priority;
use super::properties::{Properties, Written};
use super::shares::NodeSort;

/// Limit of users and groups, with parsed quantities.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitEntry {
    /// Names or `*`.
    pub users: Vec<String>,
    /// Names or `*`.
    pub groups: Vec<String>,
    /// Maximum resources; *none* is unlimited.
    pub max: Amounts,
    /// Maximum number of running applications; 0 is unlimited.
    pub max_applications: u64,
}

impl LimitEntry {
    /// Parses the quantities of a limit.
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queue {
    /// Its own name.
    pub name: String,
    /// Path from the root.
    pub path: String,
    /// Parent; `None` for the root.
    pub parent: Option<QueueIx>,
    /// Children, by name.
    pub children: Vec<QueueIx>,
    /// Leaves contain applications.
    pub is_leaf: bool,
    /// Configured, not created by placement.
    pub managed: bool,
    /// Removed from the configuration.
    pub draining: bool,
    /// Merged properties as written.
    pub written: Written,
    /// Parsed properties.
    pub properties: Properties,
    /// Guarantee; *none* without one.
    pub guaranteed: Amounts,
    /// Maximum; *none* without one; for the root the sum of the nodes.
    pub max: Amounts,
    /// Maximum number of running applications; 0 is unlimited.
    pub max_applications: u64,
    /// Limits of users and groups.
    pub limits: Vec<LimitEntry>,
    /// Template of dynamic queues below, own or inherited.
    pub template: Option<config::Template>,
    /// Access control lists for submission and administration.
    pub acls: [String; 2],
    /// Pending resources of the subtree.
    pub pending: Amounts,
    /// Allocated resources of the subtree.
    pub allocated: Amounts,
    /// Resources marked for eviction in the subtree.
    pub preempting: Amounts,
    /// Number of applications in state Running in the subtree.
    pub running: u64,
    /// Accepted applications with allocations, by id; entries outlive their applications.
    pub accepted: Vec<String>,
    /// Applications of a leaf with their numbers of reservations, by id.
    pub reserved: Vec<(AppIx, u32)>,
    /// Applications of a leaf, by id.
    pub apps: Vec<AppIx>,
    /// Raw priority; see [`priority`].
    pub raw: i32,
    /// Effective priority last pushed to the parent; outdated after a reload.
    pub pushed: i32,
    /// Start of quota preemption, in milliseconds.
    pub quota_start: Option<i64>,
}

impl Queue {
    /// Effective priority.
    pub fn effective(&self) -> i32 {
        priority::effective(self.properties.priority_policy, self.properties.offset, self.raw)
    }
}

/// State of an application.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AppState {
    /// No asks yet.
    #[default]
    New,
    /// Has asks, but no real allocation.
    Accepted,
    /// Has a real allocation, or all placeholders are allocated.
    Running,
    /// Nothing pending or allocated; ends after a delay.
    Completing,
    /// The gang timed out with style Soft.
    Resuming,
    /// The gang timed out with style Hard.
    Failing,
    /// Removed.
    Gone,
}

/// Task group of a gang.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskGroup {
    pub name: String,
    /// Number of placeholder asks.
    pub count: u64,
    /// Number of placeholders replaced by real asks.
    pub replaced: u64,
    /// Number of placeholders released by a timeout.
    pub timed_out: u64,
}

/// An application.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct App {
    pub id: String,
    /// Leaf queue.
    pub queue: QueueIx,
    /// User who submitted it.
    pub user: String,
    /// Groups of the user.
    pub groups: Vec<String>,
    /// Group whose limits apply; `None` until it is resolved.
    pub group: Option<Option<String>>,
    /// Submission time in milliseconds; can move backwards.
    pub submitted: i64,
    pub state: AppState,
    /// All asks, pending and allocated, highest priority first.
    pub requests: Vec<AskIx>,
    /// All requests before this index are allocated.
    pub cursor: usize,
    /// All asks, by key.
    pub asks: Vec<AskIx>,
    /// Asks allocated on nodes, by key.
    pub allocations: Vec<AskIx>,
    /// Asks with a reservation, by key.
    pub reservations: Vec<AskIx>,
    /// Pending resources.
    pub pending: Amounts,
    /// Resources of real allocations.
    pub allocated: Amounts,
    /// Resources of placeholder allocations.
    pub placeholder: Amounts,
    /// Total request of the gang.
    pub placeholder_ask: Amounts,
    /// Gang style after a placeholder timeout: Hard (`true`) fails the application, Soft resumes it.
    pub hard: bool,
    /// Placeholder timeout in milliseconds.
    pub timeout: i64,
    /// Time at which placeholders time out, in milliseconds.
    pub placeholder_due: Option<i64>,
    /// End of the state Completing, in milliseconds.
    pub completing_due: Option<i64>,
    /// Skipped until this time, in nanoseconds.
    pub backoff_until: i64,
    /// Largest priority of the outstanding asks.
    pub priority: i32,
    /// Task groups, by name.
    pub groups_of_tasks: Vec<TaskGroup>,
}

impl App {
    /// The task group with this name.
    pub(super) fn task_group(&mut self, name: &str) -> Option<&mut TaskGroup> {
        self.groups_of_tasks.iter_mut().find(|group| group.name == name)
    }
}

/// An ask and its allocation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ask {
    pub key: String,
    /// Application.
    pub app: AppIx,
    /// Requested resources.
    pub resource: Amounts,
    /// Priority, larger first.
    pub priority: i32,
    /// Creation time in milliseconds.
    pub created: i64,
    /// Task group; empty for none.
    pub task_group: String,
    /// Placeholder of a gang.
    pub placeholder: bool,
    /// Required node; empty for any.
    pub required_node: String,
    /// Excluded nodes, ascending.
    pub refuses: Vec<NodeIx>,
    /// Originator of its application.
    pub originator: bool,
    /// May be preempted.
    pub allow_self: bool,
    /// May preempt others.
    pub allow_other: bool,
    /// No longer pending; stays set when its node is removed.
    pub allocated: bool,
    /// Node of the allocation.
    pub node: Option<NodeIx>,
    /// Reserved node.
    pub reserved: Option<NodeIx>,
    /// Time of the reservation, in milliseconds.
    pub reserved_at: i64,
    /// Marked for eviction.
    pub preempted: bool,
    /// Release requested.
    pub released: bool,
    /// Victims have been marked for it.
    pub triggered: bool,
    /// What its preemption of ordinary victims found; explains later refusals.
    pub preemption: Option<Box<Preemption>>,
    /// Time of the last preemption attempt.
    pub last_check: Option<i64>,
}

/// What a preemption freed on the node that it reserved.
#[derive(Clone, Debug, PartialEq)]
pub struct Preemption {
    /// The node.
    pub node: NodeIx,
    /// Resources that were available there.
    pub available: Amounts,
    /// Resources of the victims there.
    pub freed: Amounts,
    /// Number of victims there.
    pub victims: u32,
    /// A queue on the ask's path that would exceed its maximum even without the victims.
    pub over: Option<Excess>,
}

/// An amount above the maximum of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    /// The queue.
    pub queue: QueueIx,
    /// The resource type.
    pub of: usize,
    /// Allocation with the ask and without terminating tasks.
    pub with_ask: i64,
    /// The maximum.
    pub max: i64,
}

impl Preemption {
    /// Resources available on the node once the victims are gone.
    pub fn then_available(&self) -> Amounts {
        amounts::sum(&self.available, &self.freed)
    }
}

impl Ask {
    /// Creates a plain ask that may preempt and be preempted, created at 0.
    pub fn new(key: &str, app: AppIx, resource: Amounts, priority: i32) -> Ask {
        Ask { key: key.to_owned(), app, resource, priority, allow_self: true, allow_other: true, ..Ask::default() }
    }
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    pub id: String,
    /// Capacity, without zeros.
    pub capacity: Amounts,
    /// Allocated resources.
    pub allocated: Amounts,
    /// Available resources, without zeros; may be negative.
    pub available: Amounts,
    /// Accepts new allocations.
    pub schedulable: bool,
    /// The resource manager rejects every new pod, even for reservations of the core: Kubernetes with an unschedulable
    /// node.
    pub cordoned: bool,
    /// Asks with a reservation, by key.
    pub reserved: Vec<AskIx>,
    /// Allocated asks, by key.
    pub allocations: Vec<AskIx>,
    /// Score, smaller first.
    pub score: f64,
    /// Exists, that is, has not been removed.
    pub exists: bool,
    /// Not ready; for asks that require the node, it does not exist.
    pub down: bool,
}

/// Parameters of the simulated environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Age in milliseconds after which an ask may reserve.
    pub reservation_delay: i64,
    /// Whether the resource manager scores proposals of preemption.
    pub ideal_predicates: bool,
}

/// One partition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Core {
    /// Resource types.
    pub types: Types,
    /// Environment.
    pub settings: Settings,
    /// Present time in milliseconds.
    pub now: i64,
    /// Queues, the root first.
    pub queues: Vec<Queue>,
    /// Applications by index; slots are reused.
    pub apps: Vec<App>,
    /// Live applications, by id.
    pub apps_by_id: Vec<AppIx>,
    /// Asks by index; slots are reused.
    pub asks: Vec<Ask>,
    /// Free slots.
    pub free_asks: Vec<AskIx>,
    /// Free slots.
    pub free_apps: Vec<AppIx>,
    /// Nodes by index; slots are not reused.
    pub nodes: Vec<Node>,
    /// Existing nodes by score and id.
    pub node_order: NodeOrder,
    /// Node sort policy.
    pub node_sort: NodeSort,
    /// Weight of each type in node scores.
    pub weights: [f64; TYPES_MAX],
    /// Placement rules.
    pub rules: Vec<Rule>,
    /// Whether general preemption is on.
    pub preemption: bool,
    /// Whether quota preemption is on.
    pub quota_preemption: bool,
    /// Usage of users.
    pub users: Vec<Tracker>,
    /// Usage of groups.
    pub groups: Vec<Tracker>,
    /// Number of reservations.
    pub n_reservations: usize,
    /// Number of allocated placeholders.
    pub n_placeholders: usize,
    /// Keys of placeholders and asks released by timeouts since the list was last taken.
    pub timed_out: Vec<String>,
    /// Placeholders whose release is requested.
    pub releasing: Vec<AskIx>,
    /// Reservations dropped in the last cycle in addition to its result.
    pub unreserved: Vec<(AskIx, NodeIx)>,
    /// Tasks that the last cycle or poll marked for eviction.
    pub marked: Vec<AskIx>,
    /// Preemptor of each of them; `None` for quota preemption.
    pub marked_for: Vec<Option<AskIx>>,
    /// Total capacity of the nodes.
    pub capacity: Amounts,
    /// Whether [`Core::tried`] is recorded.
    pub recording: bool,
    /// Asks that the last cycle skipped, with the reasons.
    pub tried: Vec<(AskIx, Skip)>,
}

/// Reason for which an ask was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// The application may not start: `maxapplications` of a queue or of its user.
    MaxApplications,
    /// The application is in back-off after too many unplaced asks.
    Backoff,
    /// It is placed by replacing a placeholder.
    Replaceable,
    /// It exceeds the headroom of its user or group.
    UserQuota,
    /// It exceeds the headroom of its queue.
    QueueHeadroom,
    /// The required node cannot take it.
    RequiredNode,
    /// No node can take it.
    NoNode,
}

/// Usage of a user or group.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracker {
    /// Name of the user or group.
    pub name: String,
    /// Usage by queue.
    pub used: Vec<Used>,
}

/// Usage in one queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Used {
    /// Allocated resources, placeholders included.
    pub resource: Amounts,
    /// Running applications.
    pub apps: Vec<AppIx>,
}
