//! Files offered as downloads.

use std::time::Duration;

use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag};

/// Derives a file name from a title.
pub fn file_name(title: &str) -> String {
    let plain: String = title.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    let stem = if parts.is_empty() { "scenario".to_string() } else { parts.join("-") };
    format!("{}.fairground.yaml", stem.chars().take(80).collect::<String>())
}

/// Offers a text as a download.
pub fn download(name: &str, kind: &str, text: &str) {
    let _ = try_download(name, kind, text);
}

fn try_download(name: &str, kind: &str, text: &str) -> Result<(), JsValue> {
    let parts = Array::of1(&text.into());
    offer(name, &Blob::new_with_str_sequence_and_options(&parts, &blob_of(kind))?)
}

/// Offers an archive of files as a download.
pub fn download_archive(name: &str, archive: &[u8]) {
    let parts = Array::of1(&Uint8Array::from(archive));
    let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &blob_of("application/zip"));
    let _ = blob.and_then(|blob| offer(name, &blob));
}

pub fn blob_of(kind: &str) -> BlobPropertyBag {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    options
}

/// Offers a blob as a download.
pub fn offer(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let url = web_sys::Url::create_object_url_with_blob(blob)?;
    let anchor: web_sys::HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    set_timeout(move || drop(web_sys::Url::revoke_object_url(&url)), Duration::from_secs(10));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn titles_become_file_names() {
        assert_eq!(file_name("Two teams, four GPUs"), "two-teams-four-gpus.fairground.yaml");
        assert_eq!(file_name("../?"), "scenario.fairground.yaml");
    }
}
