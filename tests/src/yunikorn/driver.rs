//! Environment of the core in a scenario: events, time points, timers, and a resource manager that reacts at once.

use std::collections::BTreeSet;

use fairground::policy::yunikorn::amounts::Amounts;
use fairground::policy::yunikorn::apps::{NewApp, ReleaseReason};
use fairground::policy::yunikorn::config;
use fairground::policy::yunikorn::model::{Ask, Core, Settings};
use serde_json::Value;

use super::{Names, configs, text, texts};

/// A running scenario.
pub struct RunningScenario {
    pub core: Core,
    pub names: Names,
    events: Vec<Value>,
    next_event: usize,
    grace: i64,
    /// Marked tasks by the end of their grace period: time, application, key.
    terminating: Vec<(i64, String, String)>,
}

/// Events at a time point before its cycles.
#[derive(Default)]
pub struct PointEvents {
    /// Keys of step 1, sorted.
    pub timeouts: Vec<String>,
    /// Tasks marked by polls.
    pub victims: Vec<String>,
    /// Victims that ended.
    pub killed: Vec<String>,
    /// Positions of events without effect.
    pub rejected: Vec<usize>,
}

impl RunningScenario {
    /// Creates the partition of a scenario before its first event.
    pub fn new(scenario: &Value) -> Result<RunningScenario, String> {
        let events: Vec<Value> = scenario["events"].as_array().cloned().unwrap_or_default();
        let mut types = BTreeSet::new();
        let configs = events.iter().map(|e| &e["config"]).filter(|c| c.is_object());
        for value in configs.chain([&scenario["config"]]) {
            if let Ok(file) = serde_json::from_value::<config::File>(value.clone()) {
                let mut found = Vec::new();
                config::collect_types(&file.partitions, &mut found);
                types.extend(found);
            }
        }
        for event in &events {
            for field in ["capacity", "resource", "placeholderAsk"] {
                types.extend(event[field].as_object().into_iter().flat_map(|o| o.keys().cloned()));
            }
        }
        let names = Names::new(types)?;
        let (file, _) = configs::read(&scenario["config"])?;
        let settings = Settings {
            reservation_delay: scenario["reservationDelayMs"].as_i64().unwrap_or(2000),
            ideal_predicates: scenario["predicates"] != "none",
        };
        let partition = file.partitions.first().ok_or("no partition")?;
        let core = Core::new(partition, names.0.clone(), settings);
        let grace = scenario["graceMs"].as_i64().unwrap_or(0);
        Ok(RunningScenario { core, names, events, next_event: 0, grace, terminating: Vec::new() })
    }

    /// Next time point: an event, the end of a grace period, or a placeholder timeout.
    pub fn next_time(&self) -> Option<i64> {
        let event = self.events.get(self.next_event).and_then(|e| e["t"].as_i64());
        let terminating = self.terminating.iter().map(|(due, ..)| *due).min();
        let waiting = self.core.live_apps().filter(|app| !app.placeholder.is_zero());
        let completing = waiting.filter_map(|app| app.completing_due).min();
        let placeholders = self.core.live_apps().filter_map(|app| app.placeholder_due).min();
        // The recorder stops after the last event, so remaining timers do not fire.
        let last = self.events.last().and_then(|e| e["t"].as_i64()).unwrap_or(0);
        let timers = [placeholders, completing].into_iter().flatten().filter(|&due| due <= last);
        [event, terminating].into_iter().flatten().chain(timers).min()
    }

    /// Advances to a time point and applies everything but its cycles.
    pub fn open(&mut self, t: i64) -> Result<PointEvents, String> {
        while let Some((due, timers)) = self.core.due_timers().filter(|(due, _)| *due <= t) {
            self.core.now = due;
            for (app, placeholders) in timers {
                if placeholders {
                    self.core.time_out_placeholders(app);
                } else {
                    self.core.end_completing(app);
                }
            }
        }
        self.core.now = t;
        let mut opening = PointEvents::default();
        self.core.confirm_releases();
        opening.killed = self.kill();
        while let Some(event) = self.events.get(self.next_event).filter(|e| e["t"] == t).cloned() {
            if !self.apply(&event)? {
                opening.rejected.push(self.next_event);
            }
            if event["op"] == "quotaPoll" {
                opening.victims.extend(self.schedule_ends());
            }
            self.next_event += 1;
        }
        self.kill();
        self.core.confirm_releases();
        opening.timeouts = std::mem::take(&mut self.core.timed_out);
        opening.timeouts.sort();
        Ok(opening)
    }

    /// Ends tasks whose grace period is over; returns their keys.
    pub fn kill(&mut self) -> Vec<String> {
        let now = self.core.now;
        let (mut due, rest) = std::mem::take(&mut self.terminating).into_iter().partition::<Vec<_>, _>(|d| d.0 <= now);
        self.terminating = rest;
        due.sort_by(|a, b| a.2.cmp(&b.2));
        let mut killed = Vec::new();
        for (_, app, key) in due {
            let ask = self.core.find_app(&app).and_then(|app| self.core.find_ask(app, &key));
            let Some(ask) = ask.filter(|&ask| self.core.asks[ask].allocated) else { continue };
            if self.is_running(ask) {
                self.core.release(ask, ReleaseReason::Over);
            } else {
                self.core.remove_ask(ask);
            }
            killed.push(key);
        }
        killed
    }

    /// Schedules the end of all tasks marked by the last cycle or poll; returns their keys.
    pub fn schedule_ends(&mut self) -> Vec<String> {
        let due = self.core.now + self.grace;
        let marked = std::mem::take(&mut self.core.marked);
        let mut keys = Vec::new();
        for ask in marked {
            let ask = &self.core.asks[ask];
            self.terminating.push((due, self.core.apps[ask.app].id.clone(), ask.key.clone()));
            keys.push(ask.key.clone());
        }
        keys
    }

    fn is_running(&self, ask: usize) -> bool {
        self.core.apps[self.core.asks[ask].app].allocations.contains(&ask)
    }

    fn apply(&mut self, event: &Value) -> Result<bool, String> {
        let field = |name: &str| text(event, name);
        let app = self.core.find_app(field("app"));
        let node = self.core.find_node(field("node"));
        Ok(match field("op") {
            "addNode" => {
                let capacity = self.names.read(&event["capacity"])?.or_empty();
                self.core.add_node(field("node"), &capacity)
            }
            "removeNode" | "drainNode" | "undrainNode" | "setCapacity" => {
                let capacity = self.names.read(&event["capacity"])?.or_empty();
                if let Some(node) = node {
                    match field("op") {
                        "removeNode" => self.core.remove_node(node),
                        "setCapacity" => self.core.set_capacity(node, &capacity),
                        op => self.core.set_schedulable(node, op == "undrainNode"),
                    }
                }
                true
            }
            "addApp" => {
                let new = NewApp {
                    id: field("app").to_owned(),
                    queue: field("queue").to_owned(),
                    user: field("user").to_owned(),
                    groups: texts(&event["groups"]),
                    placeholder_ask: self.names.read(&event["placeholderAsk"])?,
                    hard: field("gangStyle") == "Hard",
                    timeout: event["timeoutMs"].as_i64().unwrap_or(0),
                };
                self.core.add_app(new)
            }
            "removeApp" => app.map(|app| self.core.remove_app(app)).is_some(),
            "addAsk" => match (app, node, field("node")) {
                (None, ..) => false,
                (_, None, wanted) if !wanted.is_empty() => false,
                (Some(app), node, _) => {
                    let ask = self.ask(event, app)?;
                    self.core.add_ask(ask, node)
                }
            },
            "finish" | "remove" => {
                let ask = app.and_then(|app| self.core.find_ask(app, field("key")));
                match ask {
                    Some(ask) if self.is_running(ask) => self.core.release(ask, ReleaseReason::Over),
                    Some(ask) if field("op") == "remove" || self.core.asks[ask].allocated => self.core.remove_ask(ask),
                    _ => return Ok(false),
                }
                true
            }
            "reload" => match configs::read(&event["config"]) {
                Ok((file, _)) => {
                    let partition = file.partitions.first().ok_or("no partition")?;
                    self.core.apply(partition);
                    true
                }
                Err(_) => false,
            },
            "quotaPoll" => {
                self.core.poll_quotas();
                true
            }
            "tick" => true,
            other => return Err(format!("event {other} is not known")),
        })
    }

    fn ask(&self, event: &Value, app: usize) -> Result<Ask, String> {
        let flag = |name: &str| event[name] == true;
        let or_true = |name: &str| event.get(name).is_none_or(|v| *v != false);
        let resource: Amounts = self.names.read(&event["resource"])?;
        let priority = event["priority"].as_i64().and_then(|n| i32::try_from(n).ok()).unwrap_or(0);
        Ok(Ask {
            created: event["createTime"].as_i64().unwrap_or(self.core.now),
            task_group: text(event, "taskGroup").to_owned(),
            placeholder: flag("placeholder"),
            originator: flag("originator"),
            allow_self: or_true("allowPreemptSelf"),
            allow_other: or_true("allowPreemptOther"),
            required_node: text(event, "requiredNode").to_owned(),
            ..Ask::new(text(event, "key"), app, resource, priority)
        })
    }
}
