//! What is kept on this device. Storage may be absent, forbidden or full; nobody but this file needs to know how.

use fairground::kit::sort;
use web_sys::Storage;

use crate::model::draft::{DRAFTS_MAX, Draft, DraftLine};

const PREFIX: &str = "fairground.";
const LINES: &str = "fairground.drafts";
const CURRENT: &str = "fairground.current";
/// Above this size only the newest draft is kept.
const LARGE_BYTES: usize = 2_000_000;

/// Why something could not be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// There is no storage here.
    Absent,
    /// It is full.
    Full,
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

fn set(key: &str, value: &str) -> Result<(), Trouble> {
    storage().ok_or(Trouble::Absent)?.set_item(key, value).map_err(|_| Trouble::Full)
}

/// The fragment that this tab last wrote into its own address.
pub fn own_address() -> Option<String> {
    web_sys::window()?.session_storage().ok()??.get_item("fairground.address").ok()?
}

/// Remembers it, for reloads.
pub fn set_own_address(fragment: &str) {
    if let Some(storage) = web_sys::window().and_then(|w| w.session_storage().ok()?) {
        let _ = storage.set_item("fairground.address", fragment);
    }
}

/// A switch of this device.
pub fn remembered(key: &str) -> Option<String> {
    get(&format!("{PREFIX}{key}"))
}

/// Keeps a switch of this device, if that is possible.
pub fn remember(key: &str, value: &str) {
    let _ = set(&format!("{PREFIX}{key}"), value);
}

/// The list of drafts, newest first.
pub fn drafts() -> Vec<DraftLine> {
    let mut lines: Vec<DraftLine> =
        get(LINES).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    sort::sort_by(&mut lines, |a, b| b.saved_ms.total_cmp(&a.saved_ms));
    lines
}

/// A draft by its name.
pub fn draft(id: &str) -> Option<Draft> {
    serde_json::from_str(&get(&format!("{PREFIX}draft.{id}"))?).ok()
}

/// Whether a draft was open last.
pub fn has_current() -> bool {
    get(CURRENT).is_some()
}

/// The draft that was open last.
pub fn current() -> Option<(String, Draft)> {
    let id = get(CURRENT)?;
    let draft = draft(&id)?;
    Some((id, draft))
}

/// The next visit starts fresh; drafts stay.
pub fn leave_current() {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(CURRENT);
    }
}

/// Keeps a draft; the oldest go when there are too many or when there is no room. `Ok(true)`: only this one could
/// be kept.
pub fn keep(id: &str, title: &str, draft: &Draft) -> Result<bool, Trouble> {
    let text = serde_json::to_string(draft).expect("drafts are plain data");
    let mut lines = drafts();
    lines.retain(|line| line.id != id);
    lines
        .insert(0, DraftLine { id: id.to_string(), title: title.to_string(), saved_ms: js_sys::Date::now() });
    let most = if text.len() > LARGE_BYTES { 1 } else { DRAFTS_MAX };
    let dropped_all = most == 1 && lines.len() > 1;
    for line in lines.split_off(most.min(lines.len())) {
        remove_text(&line.id);
    }
    let key = format!("{PREFIX}draft.{id}");
    let mut kept = set(&key, &text);
    while kept == Err(Trouble::Full) && lines.len() > 1 {
        if let Some(oldest) = lines.pop() {
            remove_text(&oldest.id);
        }
        kept = set(&key, &text);
    }
    kept?;
    set(LINES, &serde_json::to_string(&lines).expect("lines are plain data"))?;
    set(CURRENT, id)?;
    Ok(dropped_all)
}

fn remove_text(id: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&format!("{PREFIX}draft.{id}"));
    }
}

/// Removes a draft.
pub fn remove(id: &str) {
    remove_text(id);
    let mut lines = drafts();
    lines.retain(|line| line.id != id);
    let _ = set(LINES, &serde_json::to_string(&lines).expect("lines are plain data"));
}

/// Removes everything this page has kept here.
pub fn wipe() {
    let Some(storage) = storage() else { return };
    let count = storage.length().unwrap_or(0);
    let keys: Vec<String> = (0..count).filter_map(|i| storage.key(i).ok().flatten()).collect();
    for key in keys.iter().filter(|key| key.starts_with(PREFIX)) {
        let _ = storage.remove_item(key);
    }
}
