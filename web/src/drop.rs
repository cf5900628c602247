//! What is dropped, pasted or chosen anywhere on the page.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::FileList;

use crate::engine::protocol::ImportOptions;
use crate::state::command::Command;
use crate::store::Store;

/// Largest file that is read.
const FILE_BYTES_MAX: f64 = 50e6;
/// Most files at once.
const FILES_MAX: u32 = 16;

/// Reads files and shows what they are.
pub fn read_files(store: Store, list: &FileList) {
    if list.length() > FILES_MAX {
        let text = format!("Of {} files the first {FILES_MAX} are read.", list.length());
        store.dispatch(Command::Notify { is_problem: false, text });
    }
    let files: Vec<web_sys::File> = (0..list.length().min(FILES_MAX)).filter_map(|i| list.get(i)).collect();
    if files.is_empty() {
        return;
    }
    if let Some(large) = files.iter().find(|f| f.size() > FILE_BYTES_MAX) {
        let text = format!("{} is larger than 50 MB, which is more than this page reads.", large.name());
        store.dispatch(Command::Notify { is_problem: true, text });
        return;
    }
    leptos::task::spawn_local(async move {
        let mut read = Vec::new();
        for file in files {
            let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
            read.push((file.name(), text.unwrap_or_default()));
        }
        take(store, read);
    });
}

/// Takes a pasted text.
pub fn take_text(store: Store, text: String) {
    if !text.trim().is_empty() {
        take(store, vec![(crate::state::import::PASTED.to_string(), text)]);
    }
}

fn take(store: Store, files: Vec<(String, String)>) {
    if let [(_, text)] = files.as_slice()
        && text.len() < 1_000_000
        && !text.trim().contains('\n')
        && fairground::link::looks_like_link(text)
    {
        let fragment = text.trim().split_once('#').map_or(text.trim(), |(_, fragment)| fragment);
        return store.follow(fragment.to_string(), false);
    }
    store.dispatch(Command::Import { files, options: ImportOptions::default() });
}

/// Listens for drops and pastes on the whole page.
pub fn listen(store: Store) {
    let over = window_event_listener(leptos::ev::dragover, |event| {
        event.prevent_default();
    });
    let dropped = window_event_listener(leptos::ev::drop, move |event| {
        event.prevent_default();
        let Some(data) = event.data_transfer() else { return };
        match data.files().filter(|files| files.length() > 0) {
            Some(files) => read_files(store, &files),
            None => take_text(store, data.get_data("text/plain").unwrap_or_default()),
        }
    });
    let pasted = window_event_listener(leptos::ev::paste, move |event| {
        let in_field = document().active_element().is_some_and(|e| {
            e.is_instance_of::<web_sys::HtmlInputElement>()
                || e.is_instance_of::<web_sys::HtmlTextAreaElement>()
        });
        let Some(data) = event.clipboard_data().filter(|_| !in_field) else { return };
        event.prevent_default();
        match data.files().filter(|files| files.length() > 0) {
            Some(files) => read_files(store, &files),
            None => take_text(store, data.get_data("text/plain").unwrap_or_default()),
        }
    });
    // The page listens as long as it is there.
    std::mem::forget((over, dropped, pasted));
}
