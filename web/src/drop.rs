//! Handles files and text dropped, pasted or chosen anywhere on the page.

use std::sync::Arc;

use fairground::lesson::is_lesson;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, FileList, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry};

use crate::engine::protocol::{FileBytes, ImportOptions};
use crate::lessons::{parse, unfinished};
use crate::state::command::Command;
use crate::state::lesson::step::RecordStep;
use crate::store::Store;

/// Largest file that is read, in bytes.
const FILE_BYTES_MAX: f64 = 50e6;
/// Largest number of files at once.
const FILES_MAX: usize = fairground::import::FILES_MAX;
/// Largest depth of nested folders.
const FOLDERS_MAX: u32 = 8;

/// Reads chosen or pasted files and opens the import preview.
pub fn read_files(store: Store, list: &FileList) {
    let files = (0..list.length()).filter_map(|i| list.get(i)).map(|file| (file.name(), file)).collect();
    leptos::task::spawn_local(read_all(store, files));
}

/// Reads dropped files and the contents of dropped folders.
fn read_dropped(store: Store, data: &DataTransfer) -> bool {
    let items = data.items();
    // Entries are only accessible during the event.
    let entries: Vec<FileSystemEntry> =
        (0..items.length()).filter_map(|i| items.get(i)?.webkit_get_as_entry().ok().flatten()).collect();
    if !entries.iter().any(FileSystemEntry::is_directory) {
        return false;
    }
    leptos::task::spawn_local(async move {
        let mut files = Vec::new();
        let mut open: Vec<(FileSystemEntry, u32)> = entries.into_iter().rev().map(|entry| (entry, 0)).collect();
        while let Some((entry, depth)) = open.pop() {
            if files.len() >= FILES_MAX || entry.name().starts_with('.') {
                continue;
            }
            match entry.dyn_into::<FileSystemFileEntry>() {
                Ok(file) => {
                    let name = file.full_path().trim_start_matches('/').to_string();
                    files.extend(file_of(&file).await.map(|file| (name, file)));
                }
                Err(folder) if depth < FOLDERS_MAX => {
                    let folder = folder.unchecked_into::<FileSystemDirectoryEntry>();
                    open.extend(entries_of(&folder).await.into_iter().rev().map(|entry| (entry, depth + 1)));
                }
                Err(_) => {}
            }
        }
        read_all(store, files).await;
    });
    true
}

/// Awaits a browser function that takes a success and an error callback.
async fn callback_result(ask: impl FnOnce(&js_sys::Function, &js_sys::Function)) -> Option<JsValue> {
    let mut ask = Some(ask);
    let promise = js_sys::Promise::new(&mut |resolve, reject| {
        if let Some(ask) = ask.take() {
            ask(&resolve, &reject);
        }
    });
    JsFuture::from(promise).await.ok()
}

async fn file_of(entry: &FileSystemFileEntry) -> Option<web_sys::File> {
    let file = callback_result(|done, failed| entry.file_with_callback_and_callback(done, failed)).await;
    file?.dyn_into().ok()
}

/// The entries of a folder, sorted by name; the browser returns them in batches.
async fn entries_of(folder: &FileSystemDirectoryEntry) -> Vec<FileSystemEntry> {
    let reader = folder.create_reader();
    let mut all: Vec<FileSystemEntry> = Vec::new();
    while all.len() <= FILES_MAX {
        let portion = callback_result(|done, failed| {
            let _ = reader.read_entries_with_callback_and_callback(done, failed);
        });
        let Some(portion) = portion.await else { break };
        let portion = js_sys::Array::from(&portion);
        if portion.length() == 0 {
            break;
        }
        all.extend(portion.iter().filter_map(|entry| entry.dyn_into().ok()));
    }
    all.sort_by_key(FileSystemEntry::name);
    all
}

/// Reads files and imports them.
async fn read_all(store: Store, mut files: Vec<(String, web_sys::File)>) {
    if files.len() > FILES_MAX {
        let text = format!("Of {} files the first {FILES_MAX} are read.", files.len());
        store.dispatch(Command::Notify { is_problem: false, text });
        files.truncate(FILES_MAX);
    }
    if let Some((name, _)) = files.iter().find(|(_, file)| file.size() > FILE_BYTES_MAX) {
        let text = format!("{name} is larger than 50 MB, which is more than this page reads.");
        store.dispatch(Command::Notify { is_problem: true, text });
        return;
    }
    let mut read = Vec::new();
    for (name, file) in files {
        match JsFuture::from(file.array_buffer()).await {
            Ok(buffer) => {
                let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
                read.push((name, FileBytes(bytes.into())));
            }
            Err(_) => {
                let text = format!("{name} cannot be read; it may have been moved.");
                store.dispatch(Command::Notify { is_problem: true, text });
            }
        }
    }
    if !read.is_empty() {
        take(store, read);
    }
}

/// Imports a pasted text.
pub fn take_text(store: Store, text: String) {
    if !text.trim().is_empty() {
        take(store, vec![(crate::state::import::PASTED.to_string(), FileBytes::of(&text))]);
    }
}

fn take(store: Store, files: Vec<(String, FileBytes)>) {
    if let [(_, bytes)] = files.as_slice()
        && bytes.0.len() < 1_000_000
        && let Ok(text) = std::str::from_utf8(&bytes.0)
        && !text.trim().contains('\n')
        && fairground::link::looks_like_link(text)
    {
        let fragment = text.trim().split_once('#').map_or(text.trim(), |(_, fragment)| fragment);
        return store.follow(fragment.to_string(), false);
    }
    if let [(_, bytes)] = files.as_slice()
        && fairground::export::is_list_of_names(&bytes.0)
        && let Ok(text) = std::str::from_utf8(&bytes.0)
    {
        return store.dispatch(Command::RestoreNames(text.to_string()));
    }
    if let [(_, bytes)] = files.as_slice()
        && let Ok(text) = std::str::from_utf8(&bytes.0)
        && is_lesson(text)
    {
        return take_lesson(store, text);
    }
    store.dispatch(Command::Import { files, options: ImportOptions::default() });
}

/// Plays a lesson, or edits it if the recorder is open.
fn take_lesson(store: Store, text: &str) {
    let read = parse(text);
    if !store.now(|m| m.recorder.is_open && m.lesson.is_none()) {
        return store.play("", read, 0);
    }
    store.dispatch(Command::Record(RecordStep::Replace(Arc::new(unfinished(text).0))));
    if let Err(text) = read {
        store.dispatch(Command::Notify { is_problem: true, text });
    }
}

/// Reads the files of a drop or paste, or else its text.
fn take_data(store: Store, data: &web_sys::DataTransfer) {
    match data.files().filter(|files| files.length() > 0) {
        Some(files) => read_files(store, &files),
        None => take_text(store, data.get_data("text/plain").unwrap_or_default()),
    }
}

/// Listens for drops and pastes on the whole page.
pub fn listen(store: Store) {
    let over = window_event_listener(leptos::ev::dragover, |event| {
        event.prevent_default();
    });
    let dropped = window_event_listener(leptos::ev::drop, move |event| {
        event.prevent_default();
        let Some(data) = event.data_transfer() else { return };
        if read_dropped(store, &data) {
            return;
        }
        take_data(store, &data);
    });
    let pasted = window_event_listener(leptos::ev::paste, move |event| {
        let in_field = document().active_element().is_some_and(|e| {
            e.is_instance_of::<web_sys::HtmlInputElement>() || e.is_instance_of::<web_sys::HtmlTextAreaElement>()
        });
        let Some(data) = event.clipboard_data().filter(|_| !in_field) else { return };
        event.prevent_default();
        take_data(store, &data);
    });
    // The listeners live as long as the page.
    std::mem::forget((over, dropped, pasted));
}
