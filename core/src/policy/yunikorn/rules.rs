//! Rule records of the policy, and helpers for checks that cite them.
//!
//! # Source
//! yunikorn.md

use crate::trace::{Check, Op, Quantity, Rule, RuleRecord, Subject, Term, Value};

/// Siblings are ordered by effective priority.
pub const PRIORITY: Rule = Rule(&RuleRecord {
    key: "yunikorn/priority",
    says: "among children of a queue the one with the higher effective priority is tried first",
    formula: "eff(a) ≥ eff(b); eff = raw + offset, or the offset alone behind a fence",
    source: "yunikorn.md 2.1, 3.2; queue.go, sorters.go",
    differs: "",
});

/// Siblings are ordered by share.
pub const SHARE: Rule = Rule(&RuleRecord {
    key: "yunikorn/share",
    says: "at equal priority the child with the smaller share is tried first; the first one, where priority sorting is off",
    formula: "max over types of allocated / (guaranteed, else fair max)",
    source: "yunikorn.md 3.2, 4.1; sorters.go, resources.go",
    differs: "",
});

/// Order of the applications of a leaf.
pub const APPLICATION: Rule = Rule(&RuleRecord {
    key: "yunikorn/application",
    says: "in a leaf applications are tried by priority, then by submission (fifo) or by usage (fair)",
    formula: "P(app) ≥ P(other), then the earlier or the one that uses less",
    source: "yunikorn.md 3.4; sorters.go",
    differs: "",
});

/// Order of the asks of an application.
pub const REQUEST: Rule = Rule(&RuleRecord {
    key: "yunikorn/request",
    says: "the requests of an application are tried by priority, then by creation",
    formula: "priority(request) > priority(other), then the earlier",
    source: "yunikorn.md 3.5; requests.go",
    differs: "",
});

/// Comparison of shares with the maximum of another position.
pub const SHARE_OF_PLACE: Rule = Rule(&RuleRecord {
    key: "yunikorn/share-of-place",
    says: "while siblings are sorted, a share is computed with the maximum of the queue that was first at that position, not with its own",
    formula: "max over types of allocated / (guaranteed, else fair max of the place)",
    source: "yunikorn.md 3.2 (Q-1); sorters.go",
    differs: "",
});

/// Siblings with equal shares are ordered by pending amounts.
pub const PENDING: Rule = Rule(&RuleRecord {
    key: "yunikorn/pending",
    says: "of tied siblings, the one with more pending requests is tried first",
    formula: "pending(a) ≥ pending(b) for every type, > for one",
    source: "yunikorn.md 3.2; sorters.go",
    differs: "",
});

/// All keys are equal.
pub const TIE: Rule = Rule(&RuleRecord {
    key: "yunikorn/tie",
    says: "tied; the sort is stable, so name order is kept",
    formula: "name(a) < name(b)",
    source: "yunikorn.md 0.6, 3.2, 3.4 (N-1, N-2)",
    differs: "the real scheduler visits them in random order",
});

/// The first node that takes the ask is used.
pub const FIRST_FIT: Rule = Rule(&RuleRecord {
    key: "yunikorn/first-fit",
    says: "the ask goes to the first node in score order with enough room",
    formula: "ask ≤ available",
    source: "yunikorn.md 3.7, 6; nodesorting.go",
    differs: "",
});

/// Nodes are ordered by their scores.
pub const NODE_ORDER: Rule = Rule(&RuleRecord {
    key: "yunikorn/node-order",
    says: "nodes are tried by score, the lowest first, then by name; the first that takes the ask is used",
    formula: "score(node) ≤ score(next), then id(node) < id(next); score = weighted mean of used / capacity, or 1 minus it",
    source: "yunikorn.md 3.7, 6; nodesorting.go",
    differs: "",
});

/// The preemptor's queue stays within its guarantee.
pub const BELOW_GUARANTEE: Rule = Rule(&RuleRecord {
    key: "yunikorn/below-guarantee",
    says: "an ask can preempt only if its queue stays within its guarantee",
    formula: "allocated + ask ≤ guaranteed",
    source: "yunikorn.md 5.5 a; preemption.go",
    differs: "",
});

/// The victim's queue exceeds its guarantee.
pub const ABOVE_GUARANTEE: Rule = Rule(&RuleRecord {
    key: "yunikorn/above-guarantee",
    says: "victims come from leaf queues that use more than their guarantee or have none",
    formula: "allocated > guaranteed for a type of the ask",
    source: "yunikorn.md 5.3, 5.5; preemption.go",
    differs: "",
});

/// Priorities of the ask and of a victim.
pub const VICTIM_PRIORITY: Rule = Rule(&RuleRecord {
    key: "yunikorn/victim-priority",
    says: "a victim's priority is not above that of the ask; queues below the queue that both have in common add their offsets",
    formula: "priority(victim) + offsets below the common queue ≤ priority(ask) + offsets up to the common queue",
    source: "yunikorn.md 5.3; queue.go",
    differs: "the offset of the common queue itself counts for the ask alone (Q-12)",
});

/// The offset of a queue, in a search for victims.
pub const OFFSET: Rule = Rule(&RuleRecord {
    key: "yunikorn/offset",
    says: "a queue adds its priority offset to the priorities below it",
    formula: "priority + offset",
    source: "yunikorn.md 5.3; queue.go",
    differs: "",
});

/// A priority fence, in a search for victims.
pub const PRIORITY_FENCE: Rule = Rule(&RuleRecord {
    key: "yunikorn/priority-fence",
    says: "behind a priority fence all priorities count as the offset of the fence",
    formula: "priority = offset of the fence",
    source: "yunikorn.md 5.3; queue.go",
    differs: "",
});

/// Victims are searched below a fence.
pub const PREEMPTION_FENCE: Rule = Rule(&RuleRecord {
    key: "yunikorn/preemption-fence",
    says: "victims are searched below the first queue on the ask's path that fences preemption or whose maximum the ask would exceed",
    formula: "",
    source: "yunikorn.md 5.3; queue.go",
    differs: "",
});

/// Victims come from other leaves.
pub const OTHER_LEAF: Rule = Rule(&RuleRecord {
    key: "yunikorn/other-leaf",
    says: "victims come from other leaf queues than that of the ask, whatever the priorities",
    formula: "",
    source: "yunikorn.md 5.1, 5.3 (Q-26); queue.go",
    differs: "",
});

/// Queues may be excluded from preemption.
pub const PREEMPTION_DISABLED: Rule = Rule(&RuleRecord {
    key: "yunikorn/preemption-disabled",
    says: "a queue whose preemption.policy is disabled loses no tasks",
    formula: "",
    source: "yunikorn.md 5.3; queue.go",
    differs: "",
});

/// Tasks that require a node are no victims.
pub const NOT_REQUIRED: Rule = Rule(&RuleRecord {
    key: "yunikorn/not-required",
    says: "a task that requires its node is not preempted",
    formula: "",
    source: "yunikorn.md 5.3; queue.go",
    differs: "",
});

/// Order of the victims on a node.
pub const VICTIM_ORDER: Rule = Rule(&RuleRecord {
    key: "yunikorn/victim-order",
    says: "on a node tasks that may be preempted precede those that opted out, then originators come last, then the newest goes first",
    formula: "created(victim) ≥ created(other)",
    source: "yunikorn.md 5.5 b; preemption.go",
    differs: "",
});

/// Victims are on one node.
pub const ONE_NODE: Rule = Rule(&RuleRecord {
    key: "yunikorn/one-node",
    says: "unless the ask already fits there, victims come from the node that is reserved for the ask",
    formula: "",
    source: "yunikorn.md 5.5 c, d, f; preemption.go",
    differs: "",
});

/// Room on a node is reserved for another ask.
pub const RESERVED: Rule = Rule(&RuleRecord {
    key: "yunikorn/reserved",
    says: "a node that is reserved for an ask takes no other one, and the resources of placeholders are kept for their gang",
    formula: "",
    source: "yunikorn.md 3.7, 3.8, 7; objects/node.go, objects/application.go",
    differs: "",
});

/// The search for victims ends when one resource is covered.
pub const ENOUGH_VICTIMS: Rule = Rule(&RuleRecord {
    key: "yunikorn/enough-victims",
    says: "the search for victims ends once they free more of one resource than the ask requests, even if another is still short",
    formula: "freed > ask for a type",
    source: "yunikorn.md 5.5 f (Q-16); preemption.go",
    differs: "the documentation says that as many tasks are preempted as the ask needs",
});

/// An ask preempts once.
pub const PREEMPTS_ONCE: Rule = Rule(&RuleRecord {
    key: "yunikorn/preempts-once",
    says: "an ask for which victims were marked does not preempt again, even if they freed too little",
    formula: "",
    source: "yunikorn.md 5.2; preemption.go",
    differs: "",
});

/// Asks with a reservation, and pods of gangs with placeholders, precede all others.
pub const SERVED_FIRST: Rule = Rule(&RuleRecord {
    key: "yunikorn/served-first",
    says: "asks with a reserved node are tried before all others, then pods that replace placeholders",
    formula: "",
    source: "yunikorn.md 3.1, 3.8 (Q-24); partition.go",
    differs: "",
});

/// The request exceeds the headroom of a queue.
pub const HEADROOM: Rule = Rule(&RuleRecord {
    key: "yunikorn/headroom",
    says: "an ask that would put a queue on its path over its maximum is skipped",
    formula: "allocated + ask ≤ max",
    source: "yunikorn.md 3.6; queue.go",
    differs: "",
});

/// The request exceeds the limit of a user or group.
pub const USER_LIMIT: Rule = Rule(&RuleRecord {
    key: "yunikorn/user-limit",
    says: "an ask that would put its user or group over a limit is skipped and cannot preempt",
    formula: "used + ask ≤ maxresources",
    source: "yunikorn.md 3.5, 8; ugm",
    differs: "",
});

/// A queue or user has the maximum number of applications.
pub const MAX_APPLICATIONS: Rule = Rule(&RuleRecord {
    key: "yunikorn/max-applications",
    says: "an application starts only while its queues and its user stay within maxapplications",
    formula: "running + beginning + 1 ≤ maxapplications",
    source: "yunikorn.md 3.3, 8; queue.go, ugm",
    differs: "",
});

/// Usage exceeds a lowered maximum.
pub const LOWERED_MAX: Rule = Rule(&RuleRecord {
    key: "yunikorn/lowered-max",
    says: "some time after its maximum is lowered, a queue is preempted down to it",
    formula: "allocated > max",
    source: "yunikorn.md 5.8; quota_preemptor.go",
    differs: "the real scheduler checks once a second; here it happens exactly when it is due",
});

/// Preemption on a required node.
pub const REQUIRED_NODE: Rule = Rule(&RuleRecord {
    key: "yunikorn/required-node",
    says: "an ask that requires a node preempts tasks there of no higher priority, regardless of guarantees",
    formula: "priority(task) ≤ priority(ask)",
    source: "yunikorn.md 5.7; required_node_preemptor.go",
    differs: "",
});

/// Rules that occur in serving orders only and do not decide by themselves.
pub const ORDER_RULES: [Rule; 1] = [SHARE_OF_PLACE];

/// Rules by which the policy decides.
pub const RULES: [Rule; 28] = [
    PRIORITY,
    SHARE,
    PENDING,
    APPLICATION,
    REQUEST,
    TIE,
    NODE_ORDER,
    FIRST_FIT,
    BELOW_GUARANTEE,
    ABOVE_GUARANTEE,
    VICTIM_PRIORITY,
    OFFSET,
    PRIORITY_FENCE,
    PREEMPTION_FENCE,
    OTHER_LEAF,
    PREEMPTION_DISABLED,
    NOT_REQUIRED,
    VICTIM_ORDER,
    ONE_NODE,
    RESERVED,
    ENOUGH_VICTIMS,
    PREEMPTS_ONCE,
    SERVED_FIRST,
    HEADROOM,
    USER_LIMIT,
    MAX_APPLICATIONS,
    LOWERED_MAX,
    REQUIRED_NODE,
];

/// All rules, those of serving orders included.
pub fn all() -> Vec<Rule> {
    RULES.into_iter().chain(ORDER_RULES).collect()
}

/// Check that compares two quantities of one resource, in its policy unit.
pub fn amounts(rule: Rule, subject: Subject, left: (Quantity, i64), op: Op, right: (Quantity, i64)) -> Check {
    let term = |(quantity, value): (Quantity, i64)| Term::new(quantity, Value::Real(value as f64));
    Check::new(rule, subject, term(left), op, term(right))
}

/// Check that compares two values of one quantity.
pub fn compare(rule: Rule, subject: Subject, quantity: Quantity, values: [Value; 2], op: Op) -> Check {
    let [left, right] = values.map(|value| Term::new(quantity, value));
    Check::new(rule, subject, left, op, right)
}
