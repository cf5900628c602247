//! Applies edits to a scenario. Unchanged sections stay shared with the original.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::diagnostic::{Diagnostic, Edit, Path, Segment, diagnostic, quoted};
use super::fix_pools::{self, EXTENDABLE, replace, retain};
use super::schema::{JobEntry, NodeEntry, QueueEntry, ResourceEntry, Scenario, TimelineEntry};
use super::shape::Scalar;
use super::shape::{Mut, Ref, Rows, Shape};
use super::{FORMAT, VERSION, codes};

/// Returns a copy with the edits applied in order. Fails at the first edit whose location does not exist or rejects the
/// value.
pub fn apply(scenario: &Scenario, edits: &[Edit]) -> Result<Scenario, Box<Diagnostic>> {
    let mut after = scenario.clone();
    for edit in edits {
        apply_one(&mut after, edit)?;
    }
    Ok(after)
}

/// An unused name: `queue-1`, `queue-2`, …
pub fn free_name<'a>(stem: &str, taken: impl Iterator<Item = &'a str>) -> String {
    let taken: BTreeSet<&str> = taken.into_iter().collect();
    let mut candidates = (1..).map(|n| format!("{stem}-{n}"));
    candidates.find(|name| !taken.contains(name.as_str())).expect("there are endless numbers")
}

/// A node like the last one, 8 GPUs if there is none, with an unused name.
pub fn next_node(scenario: &Scenario) -> NodeEntry {
    let last = scenario.nodes.last().cloned().unwrap_or_default();
    NodeEntry {
        name: free_name("nodes", scenario.nodes.iter().map(|node| node.name.as_str())),
        gpu: last.gpu.or(Some("8".into())),
        cpu: last.cpu,
        memory: last.memory,
        pods: last.pods,
        gpu_memory: last.gpu_memory,
        ..NodeEntry::default()
    }
}

/// Returns the text at a location, lists joined by commas, labels as `name=value`. `None` if it is empty or does not
/// exist.
pub fn get(scenario: &Scenario, path: &Path) -> Option<String> {
    match path.0.as_slice() {
        [Segment::Field(name)] if name == "format" => return Some(FORMAT.to_string()),
        [Segment::Field(name)] if name == "version" => return Some(VERSION.to_string()),
        _ => {}
    }
    let mut shape: &dyn Shape = scenario;
    let mut segments = path.0.iter();
    loop {
        let Segment::Field(name) = segments.next()? else { return None };
        let i = shape.names().iter().position(|n| n == name)?;
        let non_empty = |text: &str| Some(text.to_string()).filter(|t| !t.is_empty());
        match shape.field(i) {
            Ref::Part(part) => shape = part,
            Ref::Rows(rows) => shape = rows.row(position(rows, segments.next()?)?)?,
            Ref::Labels(map) if segments.len() == 0 => {
                return non_empty(&pairs(map.iter().map(|(name, value)| (name, value.as_str()))));
            }
            Ref::Labels(map) => return map.get(last(segments.as_slice())?).cloned(),
            Ref::Settings(map) if segments.len() == 0 => {
                return non_empty(&pairs(map.iter().map(|(name, value)| (name, value.0.as_str()))));
            }
            Ref::Settings(map) => return map.get(last(segments.as_slice())?).map(|s| s.0.clone()),
            _ if segments.len() > 0 => return None,
            Ref::Text(text) | Ref::Plain(text) => return non_empty(text),
            Ref::Name(text) | Ref::Value(text) => return text.map(str::to_string),
            Ref::Texts(texts) => return non_empty(&texts.join(", ")),
        }
    }
}

/// Joins names and values into `name=value, name=value`.
fn pairs<'a>(map: impl Iterator<Item = (&'a String, &'a str)>) -> String {
    map.map(|(name, value)| [name.as_str(), "=", value].concat()).collect::<Vec<_>>().join(", ")
}

/// Splits a text such as `zone=east` into name and value.
fn pair(text: &str) -> (String, &str) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (name.trim().to_string(), value.trim())
}

/// Returns the name in the only remaining segment.
fn last(rest: &[Segment]) -> Option<&str> {
    match rest {
        [Segment::Field(name) | Segment::Named(name)] => Some(name),
        _ => None,
    }
}

fn position(rows: &dyn Rows, segment: &Segment) -> Option<usize> {
    match segment {
        Segment::At(i) => Some(*i as usize).filter(|&i| i < rows.count()),
        Segment::Named(name) => (0..rows.count()).find(|&i| rows.row(i).and_then(name_of) == Some(name)),
        Segment::Field(_) => None,
    }
}

/// Returns the name of an entry; `None` if entries of its kind have no name.
fn name_of(row: &dyn Shape) -> Option<&str> {
    match row.field(0) {
        Ref::Text(name) => Some(name),
        _ => None,
    }
}

fn refuse(path: &Path, message: String) -> Box<Diagnostic> {
    Box::new(diagnostic(codes::NO_PLACE, path.clone(), message, None))
}

fn no_place(path: &Path) -> Box<Diagnostic> {
    refuse(path, format!("there is no place {path} in this scenario"))
}

fn apply_one(scenario: &mut Scenario, edit: &Edit) -> Result<(), Box<Diagnostic>> {
    match edit {
        // Checked first, so that a section is copied only if it changes.
        Edit::Set { at: path, value } if get(scenario, path).as_deref() == Some(value.as_str()) => Ok(()),
        Edit::Set { at: path, value } => set(scenario, &path.0, value).map_err(|why| match why {
            Unset::NoPlace => no_place(path),
            Unset::Gap => {
                let message =
                    format!("{path}: the list {} has an empty item; remove a comma or name one", quoted(value));
                refuse(path, message)
            }
        }),
        Edit::Rename { at: path, to } => rename(scenario, path, to),
        Edit::Remove { at: path } => remove(scenario, path),
        Edit::AddQueue { name, parent } => {
            free(scenario, "queues", name)?;
            let mut queue = QueueEntry { parent: parent.clone(), ..unlimited_queue(name) };
            queue.gpu.quota = Some("0".into());
            Arc::make_mut(&mut scenario.queues).push(queue);
            Ok(())
        }
        Edit::AddNode { node } => {
            free(scenario, "nodes", &node.name)?;
            Arc::make_mut(&mut scenario.nodes).push((**node).clone());
            Ok(())
        }
        Edit::AddJob { job } => {
            free(scenario, "jobs", &job.name)?;
            Arc::make_mut(&mut scenario.jobs).push((**job).clone());
            Ok(())
        }
        Edit::AddTimeline { entry } => {
            Arc::make_mut(&mut scenario.timeline).push((**entry).clone());
            Ok(())
        }
        Edit::MoveQueue { at: path, parent, before } => {
            move_queue(scenario, path, parent.as_deref(), before.as_deref())
        }
        Edit::MovePool { at: path, before } => {
            fix_pools::move_before(element(scenario, path), scenario, before).ok_or(no_place(path))
        }
        Edit::Duplicate { at: path } => duplicate(scenario, path),
    }
}

/// Returns the names of the entries of a top-level list; `None` if they have no names.
fn names<'a>(scenario: &'a Scenario, section: &str) -> Option<Vec<&'a str>> {
    let (_, rows) = rows(scenario, section)?;
    (0..rows.count()).map(|i| name_of(rows.row(i)?)).collect()
}

/// Returns a top-level list with the name of its section.
fn rows<'a>(scenario: &'a Scenario, section: &str) -> Option<(&'static str, &'a dyn Rows)> {
    let i = scenario.names().iter().position(|n| *n == section)?;
    match scenario.field(i) {
        Ref::Rows(rows) => Some((scenario.names()[i], rows)),
        _ => None,
    }
}

/// Refuses a name that an entry of a section has already.
fn free(scenario: &Scenario, section: &str, name: &str) -> Result<(), Box<Diagnostic>> {
    if names(scenario, section).is_some_and(|names| names.contains(&name)) {
        Err(refuse(&Path::default().field(section), format!("{} exists already", quoted(name))))
    } else {
        Ok(())
    }
}

/// Returns a queue without limits: quotas and limits are unlimited, weights are 1.
pub fn unlimited_queue(name: &str) -> QueueEntry {
    let unlimited = ResourceEntry {
        quota: Some("unlimited".into()),
        limit: Some("unlimited".into()),
        weight: Some("1".into()),
        usage: None,
    };
    let (gpu, cpu, memory) = (unlimited.clone(), unlimited.clone(), unlimited);
    QueueEntry { name: name.to_string(), gpu, cpu, memory, ..QueueEntry::default() }
}

/// Reason why a value cannot be set.
enum Unset {
    /// The location does not exist.
    NoPlace,
    /// The text of a list has an empty item; dropping it would shift the items after it.
    Gap,
}

/// Splits a text such as `a, b` into items. A trailing comma is allowed.
fn items(value: &str) -> Result<Vec<&str>, Unset> {
    let text = value.trim();
    let text = text.strip_suffix(',').map_or(text, str::trim_end);
    if text.is_empty() && value.trim().is_empty() {
        return Ok(Vec::new());
    }
    // A comma in parentheses separates the values of one item: `zone in (a, b)`.
    let mut depth = 0_usize;
    let ends_item = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    let items: Vec<&str> = text.split(ends_item).map(str::trim).collect();
    if items.iter().any(|item| item.is_empty()) { Err(Unset::Gap) } else { Ok(items) }
}

/// Sets the value at a location; an empty text unsets it.
fn set(shape: &mut dyn Shape, segments: &[Segment], value: &str) -> Result<(), Unset> {
    let Some((Segment::Field(name), rest)) = segments.split_first() else { return Err(Unset::NoPlace) };
    let i = shape.names().iter().position(|n| n == name).ok_or(Unset::NoPlace)?;
    let scalar = || Some(Scalar::from(value)).filter(|_| !value.is_empty());
    match shape.field_mut(i) {
        Mut::Part(part) => return set(part, rest, value),
        Mut::Rows(rows) => {
            let (which, rest) = rest.split_first().ok_or(Unset::NoPlace)?;
            let i = match (position(rows, which), which) {
                (Some(i), _) => i,
                // Unsetting a value of a missing element changes nothing.
                (None, _) if name == EXTENDABLE && value.is_empty() => return Ok(()),
                (None, Segment::Named(element)) if name == EXTENDABLE => fix_pools::add(rows, element),
                (None, _) => return Err(Unset::NoPlace),
            };
            return set(rows.row_mut(i).ok_or(Unset::NoPlace)?, rest, value);
        }
        Mut::Labels(map) if !rest.is_empty() => {
            let key = last(rest).ok_or(Unset::NoPlace)?;
            if value.is_empty() {
                map.remove(key);
            } else {
                map.insert(key.to_string(), value.to_string());
            }
        }
        Mut::Labels(map) => {
            *map = items(value)?.into_iter().map(pair).map(|(name, value)| (name, value.to_string())).collect();
        }
        Mut::Settings(map) if rest.is_empty() => {
            *map = items(value)?.into_iter().map(pair).map(|(name, value)| (name, Scalar::from(value))).collect();
        }
        Mut::Settings(map) => {
            let key = last(rest).ok_or(Unset::NoPlace)?;
            match scalar() {
                None => drop(map.remove(key)),
                Some(scalar) => drop(map.insert(key.to_string(), scalar)),
            }
        }
        _ if !rest.is_empty() => return Err(Unset::NoPlace),
        Mut::Text(text) => *text = value.to_string(),
        Mut::Plain(plain) => plain.0 = value.to_string(),
        Mut::Name(name) => *name = Some(value.to_string()).filter(|v| !v.is_empty()),
        Mut::Value(slot) => *slot = scalar(),
        Mut::Texts(texts) => *texts = items(value)?.into_iter().map(str::to_string).collect(),
    }
    Ok(())
}

/// Returns the section and position of an element of a top-level list.
fn element(scenario: &Scenario, path: &Path) -> Option<(&'static str, usize)> {
    let [Segment::Field(section), which] = path.0.as_slice() else { return None };
    let (section, rows) = rows(scenario, section)?;
    Some((section, position(rows, which)?))
}

fn rename(scenario: &mut Scenario, path: &Path, new_name: &str) -> Result<(), Box<Diagnostic>> {
    if path.0.len() > 2 {
        // No other entry refers to a pod set or to a queue's values in a pool.
        return set(scenario, &path.field("name").0, new_name).map_err(|_| no_place(path));
    }
    let (section, i) = element(scenario, path).ok_or_else(|| no_place(path))?;
    let names = names(scenario, section).ok_or_else(|| no_place(path))?;
    if names.iter().enumerate().any(|(k, name)| k != i && *name == new_name) {
        return Err(refuse(path, format!("{} exists already", quoted(new_name))));
    }
    match section {
        "queues" => rename_queue(scenario, i, new_name),
        "nodes" => rename_node(scenario, i, new_name),
        "pools" => fix_pools::rename(scenario, i, new_name),
        _ => rename_job(scenario, i, new_name),
    }
    Ok(())
}

fn rename_queue(scenario: &mut Scenario, i: usize, new: &str) {
    let old = std::mem::replace(&mut Arc::make_mut(&mut scenario.queues)[i].name, new.to_string());
    // If another queue has the same name, the references belong to that one.
    if old.is_empty() || scenario.queues.iter().any(|q| q.name == old) {
        return;
    }
    let is_old = |name: &Option<String>| name.as_deref() == Some(old.as_str());
    replace(&mut scenario.queues, |q| is_old(&q.parent), |q| q.parent = Some(new.to_string()));
    replace(&mut scenario.jobs, |j| j.queue == old, |j| j.queue = new.to_string());
    replace(&mut scenario.timeline, |t| is_old(&t.queue), |t| t.queue = Some(new.to_string()));
    rename_settings(scenario, &old, Some(new));
}

/// Renames the settings of a queue, in the timeline too; without a new name, removes them.
fn rename_settings(scenario: &mut Scenario, old: &str, new: Option<&str>) {
    let queues = scenario.queues.clone();
    let renamed = |key: &str| Some([&key[..key.len() - old.len()], new?].concat());
    let change = |settings: &mut BTreeMap<String, Scalar>| {
        for key in settings_of(&mut settings.keys(), old, &queues) {
            if let (Some(value), Some(key)) = (settings.remove(&key), renamed(&key)) {
                settings.insert(key, value);
            }
        }
    };
    change(&mut scenario.settings);
    for entry in in_timeline(&mut scenario.timeline) {
        change(&mut entry.settings);
        let unset_keys = settings_of(&mut entry.unset.iter(), old, &queues);
        let unset = std::mem::take(&mut entry.unset).into_iter();
        entry.unset =
            unset.filter_map(|key| if unset_keys.contains(&key) { renamed(&key) } else { Some(key) }).collect();
    }
}

/// Returns the timeline entries that change settings.
fn in_timeline(timeline: &mut Arc<Vec<TimelineEntry>>) -> impl Iterator<Item = &mut TimelineEntry> {
    let changes = |entry: &TimelineEntry| !entry.settings.is_empty() || !entry.unset.is_empty();
    let changes_any = timeline.iter().any(changes);
    let all = if changes_any { Arc::make_mut(timeline).as_mut_slice() } else { Default::default() };
    all.iter_mut().filter(move |entry| changes(entry))
}

/// Returns the settings of a queue: those that end with a dot and its name, but not with a dot and a longer queue name.
fn settings_of(settings: &mut dyn Iterator<Item = &String>, queue: &str, queues: &[QueueEntry]) -> Vec<String> {
    let ends = |key: &str, name: &str| key.strip_suffix(name).is_some_and(|word| word.ends_with('.'));
    let mut keys: Vec<String> = settings.filter(|key| ends(key, queue)).cloned().collect();
    for longer in queues.iter().filter(|longer| longer.name.len() > queue.len()) {
        keys.retain(|key| !ends(key, &longer.name));
    }
    keys
}

/// Renames a reference to `old` or, with `members`, to a member `old-N`. `None` if it refers to something else.
fn follow(reference: &str, old: &str, new: &str, members: bool) -> Option<String> {
    let suffix = reference.strip_prefix(old)?;
    let is_member = || {
        let number = suffix.strip_prefix('-')?;
        (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(())
    };
    let follows = if members { is_member().is_some() } else { suffix.is_empty() };
    follows.then(|| format!("{new}{suffix}"))
}

fn rename_node(scenario: &mut Scenario, i: usize, new_name: &str) {
    let members = scenario.nodes[i].count.is_some();
    let old_name = std::mem::replace(&mut Arc::make_mut(&mut scenario.nodes)[i].name, new_name.to_string());
    if old_name.is_empty() || scenario.nodes.iter().any(|n| n.name == old_name && n.count.is_some() == members) {
        return;
    }
    let renamed = |name: &str| follow(name, &old_name, new_name, members);
    replace(
        &mut scenario.jobs,
        |j| j.on.iter().any(|name| renamed(name).is_some()),
        |j| j.on.iter_mut().for_each(|name| *name = renamed(name).unwrap_or_else(|| name.clone())),
    );
    let refers = |name: &Option<String>| name.as_deref().and_then(renamed);
    replace(&mut scenario.timeline, |t| refers(&t.node).is_some(), |t| t.node = refers(&t.node));
}

fn rename_job(scenario: &mut Scenario, i: usize, new_name: &str) {
    let members = scenario.jobs[i].count.is_some();
    let old_name = std::mem::replace(&mut Arc::make_mut(&mut scenario.jobs)[i].name, new_name.to_string());
    if old_name.is_empty() || scenario.jobs.iter().any(|j| j.name == old_name && j.count.is_some() == members) {
        return;
    }
    let renamed = |name: &Option<String>| name.as_deref().and_then(|name| follow(name, &old_name, new_name, members));
    replace(&mut scenario.timeline, |t| renamed(&t.job).is_some(), |t| t.job = renamed(&t.job));
    replace(&mut scenario.jobs, |j| renamed(&j.evicted_for).is_some(), |j| j.evicted_for = renamed(&j.evicted_for));
}

fn remove(scenario: &mut Scenario, path: &Path) -> Result<(), Box<Diagnostic>> {
    if path.0.len() > 2 {
        return remove_inner(scenario, path).ok_or_else(|| no_place(path));
    }
    let (section, i) = element(scenario, path).ok_or_else(|| no_place(path))?;
    match section {
        "queues" => remove_queues(scenario, i),
        "nodes" => {
            let removed = Arc::make_mut(&mut scenario.nodes).remove(i);
            let remaining: Vec<String> = scenario.nodes.iter().map(|n| n.name.clone()).collect();
            let is_gone = |name: &str| {
                !remaining.iter().any(|n| n == name)
                    && follow(name, &removed.name, "", removed.count.is_some()).is_some()
            };
            replace(&mut scenario.jobs, |j| j.on.iter().any(|n| is_gone(n)), |j| j.on.retain(|n| !is_gone(n)));
            retain(&mut scenario.timeline, |t| !t.node.as_deref().is_some_and(is_gone));
        }
        "jobs" => {
            let removed = Arc::make_mut(&mut scenario.jobs).remove(i);
            forget_jobs(scenario, &[removed]);
        }
        "pools" => fix_pools::remove(scenario, i),
        _ => drop(Arc::make_mut(&mut scenario.timeline).remove(i)),
    }
    Ok(())
}

/// Removes an element of a list within an entry.
fn remove_inner(scenario: &mut Scenario, path: &Path) -> Option<()> {
    let [Segment::Field(section), which, Segment::Field(list), inner] = path.0.as_slice() else { return None };
    let i = scenario.names().iter().position(|n| n == section)?;
    let Mut::Rows(rows) = scenario.field_mut(i) else { return None };
    let i = position(rows, which)?;
    let row = rows.row_mut(i)?;
    let k = row.names().iter().position(|n| n == list)?;
    let Mut::Rows(inner_rows) = row.field_mut(k) else { return None };
    let i = position(inner_rows, inner)?;
    inner_rows.remove_row(i);
    Some(())
}

/// Removes references to removed jobs.
fn forget_jobs(scenario: &mut Scenario, removed: &[JobEntry]) {
    let refers = |name: &str| removed.iter().any(|j| follow(name, &j.name, "", j.count.is_some()).is_some());
    let remaining = scenario.jobs.clone();
    let stays = |name: &str| remaining.iter().any(|j| j.name == name);
    let is_gone = |name: &Option<String>| name.as_deref().is_some_and(|name| refers(name) && !stays(name));
    retain(&mut scenario.timeline, |t| !is_gone(&t.job));
    replace(&mut scenario.jobs, |j| is_gone(&j.evicted_for), |j| j.evicted_for = None);
}

/// Returns the positions of a queue and all its descendants in ascending order.
fn subtree(queues: &[QueueEntry], i: usize) -> Vec<usize> {
    let mut children: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (k, queue) in queues.iter().enumerate() {
        if let Some(parent) = queue.parent.as_deref() {
            children.entry(parent).or_default().push(k);
        }
    }
    let mut is_inside = vec![false; queues.len()];
    let mut pending = vec![i];
    while let Some(k) = pending.pop() {
        if !std::mem::replace(&mut is_inside[k], true) {
            pending.extend(children.get(queues[k].name.as_str()).into_iter().flatten());
        }
    }
    (0..queues.len()).filter(|&k| is_inside[k]).collect()
}

fn remove_queues(scenario: &mut Scenario, i: usize) {
    let repeats = scenario.queues.iter().enumerate().any(|(k, q)| k != i && q.name == scenario.queues[i].name);
    // If another queue has the same name, the children and jobs belong to that one.
    let inside = if repeats { vec![i] } else { subtree(&scenario.queues, i) };
    let removed: BTreeSet<String> = inside.iter().map(|&k| scenario.queues[k].name.clone()).collect();
    let mut k = 0;
    Arc::make_mut(&mut scenario.queues).retain(|_| {
        k += 1;
        inside.binary_search(&(k - 1)).is_err()
    });
    if repeats {
        return;
    }
    let is_gone = |name: &str| removed.contains(name);
    let jobs: Vec<JobEntry> = scenario.jobs.iter().filter(|j| is_gone(&j.queue)).cloned().collect();
    retain(&mut scenario.jobs, |j| !is_gone(&j.queue));
    retain(&mut scenario.timeline, |t| !t.queue.as_deref().is_some_and(is_gone));
    for name in &removed {
        rename_settings(scenario, name, None);
    }
    forget_jobs(scenario, &jobs);
}

fn move_queue(
    scenario: &mut Scenario,
    path: &Path,
    parent: Option<&str>,
    before: Option<&str>,
) -> Result<(), Box<Diagnostic>> {
    let Some(("queues", i)) = element(scenario, path) else { return Err(no_place(path)) };
    let inside = subtree(&scenario.queues, i);
    if let Some(parent) = parent {
        match scenario.queues.iter().position(|q| q.name == parent) {
            None => return Err(refuse(path, format!("queue {} does not exist", quoted(parent)))),
            Some(k) if inside.binary_search(&k).is_ok() => {
                let message = format!("{} lies below itself then", quoted(&scenario.queues[i].name));
                return Err(refuse(path, message));
            }
            Some(_) => {}
        }
    }
    let target = match before {
        None => scenario.queues.len(),
        Some(name) => scenario.queues.iter().position(|q| q.name == name).ok_or_else(|| no_place(path))?,
    };
    let queues = Arc::make_mut(&mut scenario.queues);
    queues[i].parent = parent.map(str::to_string);
    let queue = queues.remove(i);
    queues.insert(if target > i { target - 1 } else { target }, queue);
    Ok(())
}

/// Inserts a copy of an element after it under an unused name; a queue is copied with its descendants and their jobs.
fn duplicate(scenario: &mut Scenario, path: &Path) -> Result<(), Box<Diagnostic>> {
    let (section, i) = element(scenario, path).ok_or_else(|| no_place(path))?;
    match section {
        "queues" => duplicate_queues(scenario, i),
        "nodes" => {
            let name = fresh(&scenario.nodes[i].name, &mut scenario.nodes.iter().map(|n| n.name.clone()).collect());
            let copy = NodeEntry { name, ..scenario.nodes[i].clone() };
            Arc::make_mut(&mut scenario.nodes).insert(i + 1, copy);
        }
        "jobs" => {
            let name = fresh(&scenario.jobs[i].name, &mut scenario.jobs.iter().map(|j| j.name.clone()).collect());
            let copy = JobEntry { name, ..scenario.jobs[i].clone().not_running() };
            Arc::make_mut(&mut scenario.jobs).insert(i + 1, copy);
        }
        "pools" => {
            return Err(refuse(path, "two pools cannot have the same nodes; add one instead".to_string()));
        }
        _ => {
            let copy = scenario.timeline[i].clone();
            Arc::make_mut(&mut scenario.timeline).insert(i + 1, copy);
        }
    }
    Ok(())
}

fn duplicate_queues(scenario: &mut Scenario, i: usize) {
    let inside = subtree(&scenario.queues, i);
    let mut taken: BTreeSet<String> = scenario.queues.iter().map(|q| q.name.clone()).collect();
    let new_name = |&k: &usize| (scenario.queues[k].name.clone(), fresh(&scenario.queues[k].name, &mut taken));
    let names: BTreeMap<String, String> = inside.iter().map(new_name).collect();
    let copied = |name: &str| names.get(name).cloned();
    let mut copies: Vec<QueueEntry> = inside.iter().map(|&k| scenario.queues[k].clone()).collect();
    for (copy, &k) in copies.iter_mut().zip(&inside) {
        copy.name = copied(&copy.name).unwrap_or_default();
        if k != i {
            copy.parent = copy.parent.as_deref().map(|p| copied(p).unwrap_or_else(|| p.to_string()));
        }
        copy.created = None;
    }
    let mut taken: BTreeSet<String> = scenario.jobs.iter().map(|j| j.name.clone()).collect();
    let mut jobs: Vec<JobEntry> = Vec::new();
    for job in scenario.jobs.iter() {
        if let Some(queue) = copied(&job.queue) {
            let name = fresh(&job.name, &mut taken);
            jobs.push(JobEntry { name, queue, ..job.clone().not_running() });
        }
    }
    for (name, copy) in &names {
        for key in settings_of(&mut scenario.settings.keys(), name, &scenario.queues) {
            if let Some(value) = scenario.settings.get(&key).cloned() {
                scenario.settings.insert([&key[..key.len() - name.len()], copy].concat(), value);
            }
        }
    }
    let behind = inside.last().map_or(i, |&k| k) + 1;
    Arc::make_mut(&mut scenario.queues).splice(behind..behind, copies);
    if !jobs.is_empty() {
        Arc::make_mut(&mut scenario.jobs).extend(jobs);
    }
}

/// Returns `name-copy`, or the first unused one of `name-copy2`, …, and adds it to `taken`.
fn fresh(name: &str, taken: &mut BTreeSet<String>) -> String {
    let base: String = name.chars().take(super::NAME_CHARS_MAX - 16).collect();
    let mut copy = format!("{base}-copy");
    let mut n = 2;
    while !taken.insert(copy.clone()) {
        copy = format!("{base}-copy{n}");
        n += 1;
    }
    copy
}
