//! The clipboard. The browser may provide none, or refuse.

use js_sys::{Array, Function, Promise, Reflect};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Clipboard};

use crate::downloads::blob_of;
use crate::state::command::{Command, Dispatch};

/// Copies a text to the clipboard and reports the result.
pub fn copy(host: impl Dispatch, text: String, done: impl Into<String>) {
    let done = done.into();
    let copying = clipboard().map(|clipboard| clipboard.write_text(&text));
    leptos::task::spawn_local(async move {
        let copied = match copying {
            Some(copying) => JsFuture::from(copying).await.is_ok(),
            None => false,
        };
        let text = if copied { done } else { NOT_COPIED.to_string() };
        host.dispatch(Command::Notify { is_problem: !copied, text });
    });
}

/// Copies a text, formatted where that can be pasted, otherwise plain.
pub fn copy_rich<F>(host: impl Dispatch, html: F, text: String, done: &'static str)
where
    F: Future<Output = Result<String, JsValue>> + 'static,
{
    let copying = write_rich(html, &text);
    leptos::task::spawn_local(async move {
        let copied = match copying {
            Ok(copying) => JsFuture::from(copying).await.is_ok(),
            Err(_) => false,
        };
        if copied {
            host.dispatch(Command::Notify { is_problem: false, text: done.to_string() })
        } else {
            copy(host, text, "Only the text was copied: this browser does not copy pictures.")
        }
    });
}

/// The page may write to the clipboard only while it handles a press, so the HTML is awaited by the browser.
fn write_rich<F>(html: F, text: &str) -> Result<Promise, JsValue>
where
    F: Future<Output = Result<String, JsValue>> + 'static,
{
    let blob =
        |kind: &str, text: &str| Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &blob_of(kind));
    let html = wasm_bindgen_futures::future_to_promise(async move { Ok(blob("text/html", &html.await?)?.into()) });
    let text = Promise::resolve(&blob("text/plain", text)?);
    let types = js_sys::Object::new();
    Reflect::set(&types, &"text/html".into(), &html)?;
    Reflect::set(&types, &"text/plain".into(), &text)?;
    let item: Function = Reflect::get(&js_sys::global(), &"ClipboardItem".into())?.dyn_into()?;
    let item = Reflect::construct(&item, &Array::of1(&types))?;
    let clipboard = clipboard().ok_or(JsValue::NULL)?;
    let write: Function = Reflect::get(&clipboard, &"write".into())?.dyn_into()?;
    write.call1(&clipboard, &Array::of1(&item))?.dyn_into()
}

const NOT_COPIED: &str = "The browser did not allow copying. Select the text and copy it.";

/// The clipboard; `None` where the browser provides none, as on pages without TLS.
fn clipboard() -> Option<Clipboard> {
    JsValue::from(window().navigator().clipboard()).dyn_into().ok()
}
