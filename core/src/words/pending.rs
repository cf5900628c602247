//! Why a job waits: one dominant reason, the others as *also*.

use super::check::{bare, decisive_resource, says, side, value};
use super::number::{self, GPU, amount, count, number, resource_name, unit, with_unit};
use super::text::Text;
use super::{Control, Evidence, Explanation, RuleCard};
use crate::moment::{CheckRow, Frame, GateRow, OutlookRow, QueueRow, RefusalRow, ValueRow};

/// Explains why a job waits.
pub fn pending(frame: &Frame, refusal: &RefusalRow, resource: u8) -> Explanation {
    let case = Case { frame, refusal, resource };
    let state = match refusal.gate.kind.as_str() {
        "waiting-for-victims" => "on its way",
        _ => refusal.fate().unwrap_or("waits"),
    };
    Explanation {
        about: Text::default().job(&refusal.job).say(format!(" · {state}")),
        verdict: case.verdict(&refusal.gate),
        also: refusal.also.iter().map(|gate| case.verdict(gate)).collect(),
        evidence: case.evidence(),
        checks: refusal.checks.iter().map(says).collect(),
        rule: refusal.checks.iter().find(|check| !check.says.is_empty()).map(RuleCard::of),
        controls: case.controls(),
        outlook: outlook(&refusal.outlook),
        ..Explanation::default()
    }
}

/// What ends a refusal.
fn outlook(row: &OutlookRow) -> Text {
    let at = |ms: &i64, what: &str| Text::of(format!("At {} {what}", number::time(*ms)));
    match row {
        OutlookRow::NextCycle => Text::of("It is considered again in the next cycle."),
        OutlookRow::Terminated(at_ms) => at(at_ms, "the evicted pods are gone; then it is considered again."),
        OutlookRow::Unprotected(at_ms) => {
            at(at_ms, "their minimum runtime is over; the next cycle from then on can evict for it.")
        }
        OutlookRow::Unreserved(at_ms) => at(at_ms, "the reservation expires."),
        OutlookRow::Retried(at_ms) => at(at_ms, "its pods are tried one by one."),
        OutlookRow::WhenEnds(job, Some(ms)) => {
            let ends = format!(" ends at {} and frees enough; ", number::time(*ms));
            Text::default().job(job).say(ends).say("it starts then, unless another comes first.")
        }
        OutlookRow::WhenEnds(job, None) => {
            Text::of("It waits for ").job(job).say(", which has no end: only an edit changes this.")
        }
        OutlookRow::OnlyByEdit => Text::of("Only an edit changes this."),
        OutlookRow::NotForeseeable => Text::of("It depends on what else ends, starts or is submitted."),
    }
}

struct Case<'a> {
    frame: &'a Frame,
    refusal: &'a RefusalRow,
    resource: u8,
}

impl Case<'_> {
    fn own_queue(&self) -> Option<&QueueRow> {
        self.frame.queues.get(self.refusal.queue as usize)
    }

    /// The queue a gate names, else the job's.
    fn queue(&self, gate: &GateRow) -> Option<&QueueRow> {
        let named = self.frame.queues.iter().find(|queue| queue.name == gate.queue);
        named.or_else(|| self.own_queue())
    }

    /// The first comparison with that quantity on the left.
    fn check(&self, left: &str) -> Option<&CheckRow> {
        self.refusal.checks.iter().find(|check| check.left == left)
    }

    fn verdict(&self, gate: &GateRow) -> Text {
        let job = || Text::default().job(&self.refusal.job);
        let name = self.queue(gate).map_or("", |queue| queue.name.as_str());
        match gate.kind.as_str() {
            "not-ready" => job().say(" waits: not all of its pods are there yet."),
            "not-a-leaf" => Text::of("Jobs cannot be placed in ").queue(name).say(": it has child queues."),
            "too-large" => self.too_large(gate),
            "over-limit" => self.over_limit(gate),
            "user-limit" => job().say(" waits: its user may not use more in ").queue(name).say("."),
            "too-many-jobs" => {
                job().say(" waits: ").queue(name).say(" runs as many jobs as it, or their user in it, may.")
            }
            "non-preemptible-over-quota" => self.over_quota(gate),
            "not-entitled" => self.not_entitled(gate),
            "no-victims" => self.no_victims(gate),
            "victims-protected" => self.victims_protected(gate),
            "no-node" => self.no_node(gate),
            "behind" => self.behind(gate),
            "waiting-for-victims" => self.on_its_way(gate),
            "gang-incomplete" => {
                let text = format!(" waits for its gang: room is held for {} of {}", gate.placed, gate.of);
                let until = gate.until_ms.map(|ms| format!(", and given up at {}", number::time(ms)));
                job().say(text + until.as_deref().unwrap_or_default() + ".")
            }
            "gang-failed" => job().say(" has failed: room for its gang did not come together in time."),
            "gang-refused" => job().say(" was refused: ").queue(name).say(
                " takes no gang that large, or none at all because its applications are sorted by fair.",
            ),
            "tried-once" => job().say(
                " waits: it was tried once in its pool, and its scheduling-backoff of 1 allows no more.",
            ),
            "like-failed" => job()
                .say(" was not tried: ")
                .job(&gate.job)
                .say(", which asks for no more, found no place in this cycle."),
            other => job().say(format!(" waits: {}.", other.replace('-', " "))),
        }
    }

    /// Why nothing may be taken: what protects those who came closest, by the last comparison that failed.
    fn no_victims(&self, gate: &GateRow) -> Text {
        let text = Text::default().job(&self.refusal.job).say(" waits: nothing may be taken that would help");
        let tried = count(gate.placed.into(), "set");
        let text = if gate.placed > 0 { text.say(format!(" ({tried} of victims tried)")) } else { text };
        // What was compared is of the dominant reason.
        let is_dominant = self.refusal.gate == *gate;
        let failed = self.refusal.checks.iter().filter(|check| is_dominant && !check.holds);
        let protects = |check: &CheckRow| protection(self.frame, check);
        let mut failed = failed.peekable();
        let above = failed.peek().and_then(|check| self.at_ancestor(gate, check));
        match (above, failed.filter_map(protects).next()) {
            (Some(above), Some(why)) => text.say(". ").then(above).say(": ").then(why).say("."),
            (Some(why), None) | (None, Some(why)) => text.say(". ").then(why).say("."),
            (None, None) => text.say("."),
        }
    }

    /// Behind whom it waits: in its own queue, or in another one, by the queue below which the two meet.
    fn behind(&self, gate: &GateRow) -> Text {
        let text = Text::default().job(&self.refusal.job).say(" waits behind ").job(&gate.job);
        let own = self.own_queue().map_or("", |queue| queue.name.as_str());
        let first = self.frame.jobs.iter().find(|job| job.name == gate.job).map(|job| job.queue);
        let other = first.filter(|first| *first != self.refusal.queue);
        let Some((at, other)) = other.and_then(|at| Some((at, self.frame.queues.get(at as usize)?))) else {
            return text.say(", which comes first in ").queue(own).say(".");
        };
        let text = text.say(" in ").queue(&other.name).say(", which was served in this cycle: ");
        match super::event::split(self.frame, at, self.refusal.queue) {
            Some((theirs, ours, Some(parent))) => {
                let text = text.queue(&theirs.name).say(" came before ").queue(&ours.name);
                text.say(" in ").queue(&parent.name).say(".")
            }
            Some((theirs, ours, None)) => {
                text.queue(&theirs.name).say(" came before ").queue(&ours.name).say(" at the top level.")
            }
            None => text.say("its queue came first."),
        }
    }

    /// Which jobs only their minimum runtime protects, by the queue that would reclaim from them.
    fn victims_protected(&self, gate: &GateRow) -> Text {
        let mut victims: Vec<&str> = Vec::new();
        for check in self.refusal.checks.iter().filter(|check| check.left == "runtime" && !check.holds) {
            if !victims.contains(&check.other_job.as_str()) {
                victims.push(&check.other_job);
            }
        }
        let until = gate.until_ms.map_or(String::new(), |ms| format!(" (until {})", number::time(ms)));
        let text = Text::default().job(&self.refusal.job).say(" waits: no room is free, and ");
        match victims.len() {
            0 => text.say(format!("the jobs to evict are protected by their minimum runtime{until}.")),
            1 => text.job(victims[0]).say(format!(" is protected by its minimum runtime{until}.")),
            n if n > 4 => text.say(format!("{n} jobs are protected by their minimum runtime{until}.")),
            _ => {
                let names = victims.into_iter().map(|victim| Text::default().job(victim)).collect();
                text.list(names, "and").say(format!(" are protected by their minimum runtime{until}."))
            }
        }
    }

    /// An ancestor of the job's queue may not take more: what it has, against what it compared with.
    fn at_ancestor(&self, gate: &GateRow, failed: &CheckRow) -> Option<Text> {
        let own = self.own_queue()?;
        let above = self.frame.queues.iter().find(|row| row.name == gate.queue && row.name != own.name)?;
        let r = decisive_resource(failed).unwrap_or(self.resource).min(2);
        let share = above.fair_share.as_ref().and_then(|share| share[usize::from(r)])?;
        if above.allocated[usize::from(r)] < share {
            return None;
        }
        let has = amount(r, above.allocated[usize::from(r)]);
        let text = Text::default().queue(&above.name).say(", above ").queue(&own.name);
        Some(text.say(format!(
            ", uses {has} of its fair share of {} and cannot reclaim more",
            bare(r, Some(share))
        )))
    }

    fn too_large(&self, gate: &GateRow) -> Text {
        let at = usize::from(gate.resource.unwrap_or(self.resource));
        if let Some(name) = at.checked_sub(3).and_then(|n| self.frame.named.get(n)) {
            let largest = self.frame.nodes.iter().map(|node| node.capacity[at]).fold(0.0, f64::max);
            return Text::default().job(&self.refusal.job).say(format!(
                " is too large: a pod of it needs more {name} than any node has, even empty; the largest has {}.",
                number::number(largest)
            ));
        }
        let r = gate.resource.unwrap_or(self.resource).min(2);
        let largest = self.frame.nodes.iter().map(|node| node.capacity[usize::from(r)]).fold(0.0, f64::max);
        let asked = self.check("request").and_then(|check| side(&check.left_value, r));
        let text = Text::default().job(&self.refusal.job);
        match asked {
            Some(asked) => text.say(format!(
                " needs {} on one node; the largest has {}.",
                with_unit(r, asked),
                amount(r, largest)
            )),
            None => text.say(format!(
                " is too large: a pod of it needs more {} than any node has, even empty; the largest has {}.",
                resource_name(r),
                amount(r, largest)
            )),
        }
    }

    fn over_limit(&self, gate: &GateRow) -> Text {
        let r = gate.resource.unwrap_or(self.resource).min(2);
        let Some(queue) = self.queue(gate) else { return Text::of("A limit is reached.") };
        let limit = queue.limit[usize::from(r)];
        let with = self.check("allocated-with-job").and_then(|check| side(&check.left_value, r));
        let text = Text::default().queue(&queue.name);
        match with {
            Some(with) => text.say(" would exceed its limit: with ").job(&self.refusal.job).say(format!(
                " it would hold {}, its limit is {}.",
                with_unit(r, with),
                bare(r, limit)
            )),
            None => text.say(format!(
                " is at its limit: {} of {} {}.",
                amount(r, queue.allocated[usize::from(r)]),
                bare(r, limit),
                unit(r, 2.0)
            )),
        }
    }

    fn over_quota(&self, gate: &GateRow) -> Text {
        let r = gate.resource.unwrap_or(self.resource).min(2);
        let Some(queue) = self.queue(gate) else { return Text::of("A quota is reached.") };
        let quota = bare(r, queue.quota[usize::from(r)]);
        let held = amount(r, queue.non_preemptible[usize::from(r)]);
        let row = self.frame.jobs.iter().find(|job| job.name == self.refusal.job);
        let stays = match row.map_or(0, |row| row.core) {
            0 => " cannot be taken back, so it may not borrow: with it ".to_string(),
            n => {
                let pods = count(n.into(), "pod");
                format!(": its first {pods} cannot be taken back, so they may not borrow: with them ")
            }
        };
        Text::default().job(&self.refusal.job).say(stays).queue(&queue.name).say(format!(
            " would hold more than its quota of {quota} in work that stays; it holds {held} already."
        ))
    }

    fn not_entitled(&self, gate: &GateRow) -> Text {
        let Some(queue) = self.queue(gate) else { return Text::of("Its queue is above its fair share.") };
        if let Some(told) = super::ego::not_entitled(&self.frame.policy, self.refusal, &queue.name) {
            return told;
        }
        let check = self.refusal.checks.iter().find(|check| check.right == "fair-share" && !check.holds);
        let r = check.and_then(decisive_resource).unwrap_or(self.resource).min(2);
        let i = usize::from(r);
        let share = check
            .map(|check| side(&check.right_value, r))
            .unwrap_or_else(|| queue.fair_share.as_ref().and_then(|share| share[i]));
        let with = check
            .filter(|check| check.left == "allocated-with-job")
            .and_then(|check| side(&check.left_value, r));
        let text = Text::default().queue(&queue.name);
        match with {
            Some(with) => text
                .say(format!(" would hold {} with ", with_unit(r, with)))
                .job(&self.refusal.job)
                .say(format!(", its fair share is {}: it may not take from others.", bare(r, share))),
            None => {
                let asked = self
                    .frame
                    .jobs
                    .iter()
                    .find(|job| job.name == self.refusal.job)
                    .map_or(0.0, |job| job.gpus);
                let fits = i == 2 && share.is_none_or(|share| queue.allocated[i] + asked <= share);
                let text = text.say(" may not take from others: with ").job(&self.refusal.job);
                if fits {
                    let quota = bare(r, queue.quota[i]);
                    text.say(format!(" it would hold more than its quota of {quota} in work that stays."))
                } else {
                    text.say(format!(" it would exceed its fair share of {}.", bare(r, share)))
                }
            }
        }
    }

    /// GPUs of one pod, if all pods of the job are alike.
    fn per_pod(&self) -> Option<(f64, u32)> {
        let job = self.frame.jobs.iter().find(|job| job.name == self.refusal.job)?;
        let pods = job.running + job.pending + job.leaving;
        (pods > 0 && job.gpus > 0.0).then(|| (job.gpus / f64::from(pods), job.pending))
    }

    fn no_node(&self, gate: &GateRow) -> Text {
        let text = Text::default().job(&self.refusal.job).say(" waits: ");
        // As of the moment at which it was tried, like the number of pods that found a place.
        let now = || {
            let ready = self.frame.nodes.iter().filter(|node| node.ready);
            let free = ready.map(|node| (node.capacity[2] - node.used[2]).max(0.0));
            free.fold((0.0, 0.0), |(sum, most), free: f64| (sum + free, free.max(most)))
        };
        let (sum, most): (f64, f64) = gate.free.unwrap_or_else(now);
        let text = match self.per_pod() {
            Some(_) if sum <= 0.0 && gate.free.is_some() => text.say("no GPU was free"),
            Some(_) if sum <= 0.0 => text.say("no GPU is free"),
            Some((each, pods)) => {
                let needs = match pods {
                    1 => format!("it needs {} on one node", number(each)),
                    _ => format!("it needs {} for each of {pods} pods", number(each)),
                };
                text.say(format!(
                    "{} {} free, at most {} on one node; {needs}",
                    with_unit(GPU, sum),
                    match (gate.free.is_some(), sum == 1.0) {
                        (true, true) => "was",
                        (true, false) => "were",
                        (false, true) => "is",
                        (false, false) => "are",
                    },
                    number(most)
                ))
            }
            None => text.say("no node fits"),
        };
        let text = if gate.placed > 0 && gate.of > 1 && gate.free.is_some() {
            text.say(format!(" ({} of {} pods found a place)", gate.placed, gate.of))
        } else {
            text
        };
        let looked: u32 = gate.nodes.iter().map(|(_, n)| n).sum();
        if looked == 0 {
            return text.say(".");
        }
        let nodes = count(looked.into(), "node");
        match &gate.nodes[..] {
            [(why, 1)] => text.say(format!(". {nodes} looked at, {}.", node_reason(why))),
            [(why, _)] => text.say(format!(". {nodes} looked at, all {}.", node_reason(why))),
            several => {
                let list: Vec<String> =
                    several.iter().map(|(why, n)| format!("{n} {}", node_reason(why))).collect();
                text.say(format!(". {nodes} looked at: {}.", list.join(", ")))
            }
        }
    }

    fn on_its_way(&self, gate: &GateRow) -> Text {
        let job = &self.refusal.job;
        let mut victims: Vec<&str> = Vec::new();
        let claimed = self
            .frame
            .nodes
            .iter()
            .flat_map(|node| &node.cells)
            .filter(|cell| cell.claimed.as_ref().is_some_and(|claim| claim.job == *job));
        for pod in claimed.flat_map(|cell| &cell.pods) {
            if pod.leaving && !victims.contains(&pod.job.as_str()) {
                victims.push(&pod.job);
            }
        }
        for event in self.frame.events.iter().filter(|event| event.by == *job) {
            if !victims.contains(&event.job.as_str()) {
                victims.push(&event.job);
            }
        }
        let when = gate.until_ms.map_or(String::new(), |ms| format!(" at {}", number::time(ms)));
        let names: Vec<Text> = victims.iter().map(|victim| Text::default().job(victim)).collect();
        match names.len() {
            0 => Text::default().job(job).say(format!(" is on its way: its room becomes free{when}.")),
            1 => Text::default()
                .list(names, "and")
                .say(format!(" leaves{when}; its place is claimed for "))
                .job(job)
                .say("."),
            _ => Text::default()
                .list(names, "and")
                .say(format!(" leave{when}; their places are claimed for "))
                .job(job)
                .say("."),
        }
    }

    fn evidence(&self) -> Option<Evidence> {
        let gate = &self.refusal.gate;
        let queue = self.queue(gate)?;
        let r = gate.resource.unwrap_or(self.resource).min(2);
        let i = usize::from(r);
        let gate_row = match gate.kind.as_str() {
            "over-limit" => "limit",
            "non-preemptible-over-quota" => "quota",
            "not-entitled" => "fair share",
            _ => "",
        };
        let mut rows = vec![("has", vec![amount(r, queue.allocated[i])], false)];
        if queue.non_preemptible[i] > 0.0 {
            let key = gate.kind == "non-preemptible-over-quota";
            rows.push(("cannot be taken", vec![amount(r, queue.non_preemptible[i])], key));
        }
        rows.push(("wants", vec![amount(r, queue.request[i])], false));
        rows.push(("quota", vec![bare(r, queue.quota[i])], gate_row == "quota"));
        if let Some(share) = &queue.fair_share {
            rows.push(("fair share", vec![bare(r, share[i])], gate_row == "fair share"));
        }
        if queue.limit[i].is_some() {
            rows.push(("limit", vec![bare(r, queue.limit[i])], gate_row == "limit"));
        }
        Some(Evidence {
            caption: Text::of("Its queue"),
            head: vec![Text::of(unit(r, 2.0)), Text::default().queue(&queue.name)],
            rows,
        })
    }

    /// The minimum runtimes that protect others, each where it is set.
    fn min_runtimes(&self) -> Vec<Control> {
        let mut controls: Vec<Control> = Vec::new();
        for check in self.refusal.checks.iter().filter(|check| !check.other_queue.is_empty()) {
            let victim = self.frame.jobs.iter().find(|job| job.name == check.other_job);
            let is_own = victim.is_some_and(|victim| victim.queue == self.refusal.queue);
            let (field, label) = match is_own {
                true => ("preempt-min-runtime", "minimum runtime before preemption of "),
                false => ("reclaim-min-runtime", "minimum runtime before reclaim of "),
            };
            let control = Control::of_queue(&check.other_queue, field, label);
            if !controls.contains(&control) {
                controls.push(control);
            }
        }
        controls
    }

    fn controls(&self) -> Vec<Control> {
        let gate = &self.refusal.gate;
        let Some(queue) = self.queue(gate).map(|queue| queue.name.as_str()) else { return Vec::new() };
        let r = gate.resource.unwrap_or(self.resource).min(2);
        let job = &self.refusal.job;
        let of_queue = |fields: &[&str]| fields.iter().map(|field| Control::queue(queue, r, field)).collect();
        let of_job = |field: &str, label: &str| Control::job(job, field, Text::of(label).job(job));
        match gate.kind.as_str() {
            "over-limit" => of_queue(&["limit"]),
            "victims-protected" => self.min_runtimes(),
            "not-entitled" | "no-victims" => of_queue(&["quota", "weight"]),
            "non-preemptible-over-quota" => {
                vec![Control::queue(queue, r, "quota"), of_job("preemptible", "preemptibility of ")]
            }
            "too-large" if gate.resource.is_some_and(|r| r > 2) => {
                vec![of_job("resources", "further resources of ")]
            }
            "too-large" | "no-node" => vec![of_job(number::resource_key(r), "request of ")],
            "behind" => vec![of_job("priority", "priority of ")],
            _ => Vec::new(),
        }
    }
}

/// What a comparison that failed protects, in words, without a full stop.
pub fn protection(frame: &Frame, check: &CheckRow) -> Option<Text> {
    if let Some(told) = super::ego::protection(check) {
        return Some(told);
    }
    let seconds = |value: &ValueRow| match value {
        ValueRow::Real(Some(seconds)) => number::time((seconds * 1000.0) as i64),
        _ => String::new(),
    };
    let other = || Text::default().queue(&check.other_queue);
    let r = decisive_resource(check).unwrap_or(GPU);
    let amount_of =
        |value: &ValueRow| side(value, r).map_or("unlimited".to_string(), |base| with_unit(r, base));
    match (check.left.as_str(), check.right.as_str()) {
        ("runtime", _) => Some(Text::default().job(&check.other_job).say(format!(
            " runs for {} and is not taken before {}",
            seconds(&check.left_value),
            seconds(&check.right_value)
        ))),
        ("allocated-without-victims", what @ ("allocatable" | "quota" | "fair-share")) => {
            let what = match what {
                "allocatable" => "the larger of its quota and fair share",
                "quota" => "its quota",
                _ => "its fair share",
            };
            let (held, bound) = (amount_of(&check.left_value), amount_of(&check.right_value));
            let row = frame.queues.iter().find(|row| row.name == check.other_queue);
            // It is asked for one victim after the other.
            let is_first = row
                .is_some_and(|row| side(&check.left_value, r) == Some(row.allocated[usize::from(r.min(2))]));
            let holds = if is_first { "holds" } else { "would be down to" };
            Some(other().say(format!(" {holds} {held}, no more than {what}, {bound}")))
        }
        ("saturation", _) => Some(
            Text::default().queue(&check.queue).say(" would be fuller than ").then(other()).say(format!(
                ", measured by their fair shares: {} against {}",
                value(&check.left_value, &check.left, None),
                value(&check.right_value, &check.right, None)
            )),
        ),
        ("allocated-non-preemptible", _) => Some(Text::default().queue(&check.queue).say(format!(
            " would hold {} in work that stays, more than its quota of {}",
            amount_of(&check.left_value),
            amount_of(&check.right_value)
        ))),
        _ => None,
    }
}

fn node_reason(why: &str) -> String {
    match why {
        "pod-slots" => "without a free pod slot".into(),
        "not-ready" => "down".into(),
        "selector" => "with other labels".into(),
        "taint" => "with a taint the job does not tolerate".into(),
        "gate" => "barred by a quota or limit of the queue".into(),
        other => match other.strip_prefix("insufficient-") {
            Some("gpu") => "with too few free GPUs".into(),
            Some("cpu") => "with too little free CPU".into(),
            Some(what) => format!("with too little free {what}"),
            None => other.replace('-', " "),
        },
    }
}
