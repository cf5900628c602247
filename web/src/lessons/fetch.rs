//! Fetches lesson files, and the hints on the examples.

use fairground::lesson::{Hint, Lesson, hint};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use super::parse;
use crate::address;

/// Fetches a lesson of the list, then calls back with it or with what went wrong.
pub fn fetch(id: &'static str, then: impl FnOnce(Result<Lesson, String>) + 'static) {
    wasm_bindgen_futures::spawn_local(async move {
        then(match text_of(id).await {
            Some(text) => parse(&text),
            None => Err("The lesson could not be loaded. Check the connection and try again.".to_string()),
        });
    });
}

/// Fetches the hint on an example; it is not shown if it cannot be fetched.
pub fn fetch_hint(example: String, then: impl FnOnce(Option<Hint>) + 'static) {
    wasm_bindgen_futures::spawn_local(async move {
        then(text_of("examples").await.and_then(|text| hint(&text, &example)));
    });
}

async fn text_of(id: &str) -> Option<String> {
    let url = address::beside(&format!("lessons/{id}.yaml"));
    let response = JsFuture::from(address::browser()?.fetch_with_str(&url)).await.ok()?;
    let response: web_sys::Response = response.dyn_into().ok().filter(web_sys::Response::ok)?;
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}
