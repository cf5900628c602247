//! Persistent data on this device. The storage may be absent, forbidden or full; only this file handles that.
//!
//! Several tabs write to it. Each draft records which tab saved it last, and a tab overwrites only what it has read or
//! saved itself: otherwise [`save`] refuses, and the tab continues under another id.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::scenario::Scenario;
use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Storage;

use crate::state::document::draft::{DRAFTS_MAX, Draft, DraftLine};
use crate::state::document::history::KeptState;

const PREFIX: &str = "fairground.";
const LINES: &str = "fairground.drafts";
const CURRENT: &str = "fairground.current";

/// Why something could not be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageError {
    /// No storage is available.
    Absent,
    Full,
    /// Another tab has stored something else under this id.
    Foreign,
}

thread_local! {
    /// The tab that had last saved each draft, when it was read or saved here.
    static SEEN: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
    /// Id of this tab until it is reloaded.
    static TAB: String = format!("{:x}-{:x}", js_sys::Date::now() as u64, (js_sys::Math::random() * 1e9) as u32);
}

/// A unique draft id.
pub fn fresh_id() -> String {
    TAB.with(|tab| format!("{}-{tab}", js_sys::Date::now()))
}

fn storage() -> Option<Storage> {
    crate::address::browser()?.local_storage().ok()?
}

fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

fn set(key: &str, value: &str) -> Result<(), StorageError> {
    storage().ok_or(StorageError::Absent)?.set_item(key, value).map_err(|_| StorageError::Full)
}

fn of_tab() -> Option<Storage> {
    web_sys::window()?.session_storage().ok()?
}

/// The fragment that this tab last wrote to its address.
pub fn own_address() -> Option<String> {
    of_tab()?.get_item("fairground.address").ok()?
}

/// Remembers the fragment for reloads.
pub fn set_own_address(fragment: &str) {
    if let Some(storage) = of_tab() {
        let _ = storage.set_item("fairground.address", fragment);
    }
}

/// Reads a setting of this device.
pub fn remembered(key: &str) -> Option<String> {
    get(&format!("{PREFIX}{key}"))
}

/// Stores a setting of this device, if possible.
pub fn remember(key: &str, value: &str) {
    let _ = set(&format!("{PREFIX}{key}"), value);
}

pub fn drafts() -> Vec<DraftLine> {
    let mut lines: Vec<DraftLine> = get(LINES).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    lines.sort_by(|a, b| b.saved_ms.total_cmp(&a.saved_ms));
    lines
}

/// Reads a draft that is about to be edited in this tab.
pub fn draft(id: &str) -> Option<Draft> {
    let tab = drafts().into_iter().find(|line| line.id == id).map(|line| line.tab);
    SEEN.with_borrow_mut(|seen| seen.insert(id.to_string(), tab.unwrap_or_default()));
    let draft: Draft = serde_json::from_str(&get(&draft_key(id))?).ok()?;
    Some(Draft { states: states(id), ..draft })
}

/// The earlier states of a draft, up to the first one that cannot be read.
fn states(id: &str) -> Vec<(KeptState, Arc<Scenario>)> {
    let read = |line: KeptState| {
        let linked = fairground::link::open(&get(&state_key(id, line.made_ms))?).ok()?;
        Some((line, Arc::new(linked.scenario)))
    };
    state_lines(id).into_iter().map_while(read).collect()
}

fn state_lines(id: &str) -> Vec<KeptState> {
    get(&states_key(id)).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn states_key(id: &str) -> String {
    format!("{PREFIX}states.{id}")
}

fn state_key(id: &str, made_ms: u64) -> String {
    format!("{PREFIX}state.{id}.{made_ms}")
}

/// Stores the earlier states of a draft; if there is no room, those of other drafts are removed, oldest first.
pub fn save_states(id: &str, states: &[(KeptState, Arc<Scenario>)]) -> Result<(), StorageError> {
    let before = state_lines(id);
    let is_kept = |line: &KeptState| before.iter().any(|kept| kept.made_ms == line.made_ms);
    let mut kept = Ok(());
    for (line, scenario) in states.iter().filter(|(line, _)| !is_kept(line)) {
        let text = fairground::link::encode(scenario);
        kept = kept.and_then(|()| set_evicting_states(id, &state_key(id, line.made_ms), &text));
    }
    let lines: Vec<&KeptState> = states.iter().map(|(line, _)| line).collect();
    let text = serde_json::to_string(&lines).expect("lines are plain data");
    kept = kept.and_then(|()| set_evicting_states(id, &states_key(id), &text));
    if kept.is_err() {
        // A partial history cannot be restored, so remove all of it.
        states.iter().for_each(|(line, _)| remove_item(&state_key(id, line.made_ms)));
        remove_states(id);
        return kept;
    }
    let is_gone = |line: &&KeptState| lines.iter().all(|now| now.made_ms != line.made_ms);
    before.iter().filter(is_gone).for_each(|line| remove_item(&state_key(id, line.made_ms)));
    Ok(())
}

/// Stores a value of a draft; if there is no room, the states of other drafts are removed.
fn set_evicting_states(id: &str, key: &str, value: &str) -> Result<(), StorageError> {
    let mut kept = set(key, value);
    let others = || drafts().into_iter().rev().filter(|line| line.id != id);
    for line in others().filter(|line| get(&states_key(&line.id)).is_some()) {
        if kept != Err(StorageError::Full) {
            break;
        }
        remove_states(&line.id);
        kept = set(key, value);
    }
    kept
}

fn remove_states(id: &str) {
    state_lines(id).iter().for_each(|line| remove_item(&state_key(id, line.made_ms)));
    remove_item(&states_key(id));
}

/// The draft that was last open in this tab, otherwise in any.
pub fn current() -> Option<(String, Draft)> {
    let here = of_tab().and_then(|storage| storage.get_item(CURRENT).ok()?);
    [here, get(CURRENT)].into_iter().flatten().find_map(|id| {
        let draft = draft(&id)?;
        Some((id, draft))
    })
}

/// Stores a draft without its states (see [`save_states`]). Returns how many other drafts were removed to make room:
/// the oldest first, and none if that is not enough. [`StorageError::Foreign`] if another tab has stored this id since
/// it was read here.
pub fn save(id: &str, title: &str, draft: &Draft) -> Result<usize, StorageError> {
    let text = serde_json::to_string(draft).expect("drafts are plain data");
    let mut lines = drafts();
    let tab = TAB.with(String::clone);
    let is_ours = |line: &DraftLine| line.tab == tab || SEEN.with_borrow(|seen| seen.get(id) == Some(&line.tab));
    if lines.iter().any(|line| line.id == id && !is_ours(line)) {
        return Err(StorageError::Foreign);
    }
    lines.retain(|line| line.id != id);
    let (id, title) = (id.to_string(), title.to_string());
    lines.insert(0, DraftLine { id: id.clone(), title, saved_ms: js_sys::Date::now(), tab });
    lines.split_off(DRAFTS_MAX.min(lines.len())).iter().for_each(|line| remove_text(&line.id));
    let key = draft_key(&id);
    let mut kept = set_evicting_states(&id, &key, &text);
    if kept == Err(StorageError::Full) {
        remove_states(&id);
        kept = set(&key, &text);
    }
    let mut removed: Vec<(String, String)> = Vec::new();
    while kept == Err(StorageError::Full) && lines.len() > 1 {
        if let Some(oldest) = lines.pop() {
            let key = draft_key(&oldest.id);
            removed.extend(get(&key).map(|text| (key, text)));
            remove_text(&oldest.id);
        }
        kept = set(&key, &text);
    }
    if kept.is_err() {
        // Removing them was not enough, so restore them.
        for (key, text) in &removed {
            let _ = set(key, text);
        }
    }
    kept?;
    set(LINES, &serde_json::to_string(&lines).expect("lines are plain data"))?;
    set(CURRENT, &id)?;
    if let Some(storage) = of_tab() {
        let _ = storage.set_item(CURRENT, &id);
    }
    Ok(removed.len())
}

/// Stores an additional draft that is not open; `at` is its position among those added together. Removes no other
/// draft.
pub fn add_draft(at: usize, title: &str, draft: &Draft) -> Result<(), StorageError> {
    let mut lines = drafts();
    if lines.len() >= DRAFTS_MAX {
        return Err(StorageError::Full);
    }
    let id = format!("{}-{at}", fresh_id());
    let text = serde_json::to_string(draft).expect("drafts are plain data");
    set(&draft_key(&id), &text)?;
    // The list is sorted by time; this keeps the order in which the drafts were added.
    let saved_ms = js_sys::Date::now() - at as f64 - 1.0;
    lines.push(DraftLine { id, title: title.to_string(), saved_ms, tab: String::new() });
    set(LINES, &serde_json::to_string(&lines).expect("lines are plain data"))
}

fn draft_key(id: &str) -> String {
    format!("{PREFIX}draft.{id}")
}

fn remove_text(id: &str) {
    remove_item(&draft_key(id));
    remove_states(id);
}

fn remove_item(key: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(key);
    }
}

pub fn remove(id: &str) {
    remove_text(id);
    let mut lines = drafts();
    lines.retain(|line| line.id != id);
    let _ = set(LINES, &serde_json::to_string(&lines).expect("lines are plain data"));
}

/// Removes everything that the page has stored.
pub fn clear() {
    SEEN.with_borrow_mut(BTreeMap::clear);
    delete_cached_files();
    if let Some(storage) = of_tab() {
        let _ = storage.remove_item(CURRENT);
    }
    let Some(storage) = storage() else { return };
    let count = storage.length().unwrap_or(0);
    let keys: Vec<String> = (0..count).filter_map(|i| storage.key(i).ok().flatten()).collect();
    for key in keys.iter().filter(|key| key.starts_with(PREFIX)) {
        let _ = storage.remove_item(key);
    }
}

/// Removes the page's own files that are cached for offline use; implemented in `assets/boot.js`.
fn delete_cached_files() {
    let boot = Reflect::get(&js_sys::global(), &"fairground".into());
    let forget = boot.and_then(|boot| Reflect::get(&boot, &"forgetFiles".into()));
    if let Ok(forget) = forget.and_then(JsCast::dyn_into::<Function>) {
        let _ = forget.call0(&JsValue::UNDEFINED);
    }
}
