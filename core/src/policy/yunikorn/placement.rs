//! Placement rules: the leaf of an application.
//!
//! # Rule
//! Rules are tried in order, each proposes a path; without rules there is one, `provided` without `create`. A path that
//! does not exist is dropped, or created if the rule allows it. The last resort is `root.default`.
//!
//! # Source
//! yunikorn.md 1.8

use super::config::Rule;
use super::model::{Core, QueueIx, ROOT};

/// Result of a rule for an application.
enum Proposal {
    Path(String),
    Nothing,
    Reject,
}

fn dotless(name: &str) -> String {
    name.replace('.', "_dot_")
}

fn is_legal(path: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || "_:#/@-".contains(c);
    path.split('.').all(|part| (1..=64).contains(&part.len()) && part.chars().all(legal))
}

impl Core {
    /// Finds a queue by path.
    pub fn find_queue(&self, path: &str) -> Option<QueueIx> {
        let mut parts = path.split('.');
        (parts.next()? == "root").then_some(())?;
        parts.try_fold(ROOT, |ix, part| self.child(ix, part))
    }

    /// Finds the leaf for an application, creating queues where a rule allows it; `None` rejects the application.
    pub(super) fn place_app(&mut self, queue: &str, user: &str, groups: &[String]) -> Option<QueueIx> {
        let implicit = [Rule { name: "provided".to_owned(), ..Rule::default() }];
        let rules = if self.rules.is_empty() { implicit.to_vec() } else { self.rules.clone() };
        for rule in &rules {
            let path = match self.propose(rule, queue, user) {
                Proposal::Path(path) => path,
                Proposal::Nothing => continue,
                Proposal::Reject => return None,
            };
            match self.find_queue(&path) {
                Some(queue) if self.takes(queue, user, groups) => return Some(queue),
                None if rule.create => return self.make(&path, user, groups),
                _ => {}
            }
        }
        self.find_queue("root.default").filter(|&q| self.takes(q, user, groups))
    }

    fn propose(&self, rule: &Rule, queue: &str, user: &str) -> Proposal {
        let name = match rule.name.as_str() {
            "provided" => queue.to_lowercase(),
            "user" => dotless(user),
            // Applications of the simulator have no tags.
            "tag" => String::new(),
            _ => rule.value.to_lowercase(),
        };
        if name.is_empty() {
            return Proposal::Nothing;
        }
        if rule.name != "user" && name.starts_with("root.") {
            return if is_legal(&name) { Proposal::Path(name) } else { Proposal::Reject };
        }
        let parent = match &rule.parent {
            None => "root".to_owned(),
            Some(parent) => match self.propose(parent, queue, user) {
                Proposal::Path(path) => match self.find_queue(&path) {
                    Some(queue) if self.queues[queue].is_leaf => return Proposal::Reject,
                    _ => path,
                },
                other => return other,
            },
        };
        let name = if rule.name == "provided" { dotless(&name) } else { name };
        if !is_legal(&name) {
            return Proposal::Reject;
        }
        Proposal::Path([&parent, ".", &name].concat())
    }

    fn takes(&self, queue: QueueIx, user: &str, groups: &[String]) -> bool {
        self.queues[queue].is_leaf && !self.queues[queue].draining && self.may_submit(queue, user, groups)
    }

    fn may_submit(&self, queue: QueueIx, user: &str, groups: &[String]) -> bool {
        let lists = |text: &str, name: &str| text.split(',').any(|n| n == name);
        self.upwards(queue).flat_map(|q| &self.queues[q].acls).any(|acl| {
            let (users, of_groups) = acl.split_once(' ').unwrap_or((acl, ""));
            acl == "*" || !user.is_empty() && lists(users, user) || groups.iter().any(|g| lists(of_groups, g))
        })
    }

    fn make(&mut self, path: &str, user: &str, groups: &[String]) -> Option<QueueIx> {
        let parts: Vec<&str> = path.split('.').collect();
        let mut ix = ROOT;
        let mut i = 1;
        while let Some(child) = parts.get(i).and_then(|part| self.child(ix, part)) {
            ix = child;
            i += 1;
        }
        if self.queues[ix].is_leaf || self.queues[ix].draining || !self.may_submit(ix, user, groups) {
            return None;
        }
        for (n, part) in parts.iter().enumerate().skip(i) {
            ix = self.add_dynamic(ix, part, n + 1 == parts.len());
        }
        Some(ix)
    }
}
