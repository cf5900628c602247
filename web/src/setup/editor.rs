//! The editor that takes the place of the text field once it is loaded: `assets/editor`.

use fairground::scenario::{Diagnostic, Severity, positions};
use js_sys::{Array, Function, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlTextAreaElement;

use crate::linked;

/// An open editor.
pub struct Editor {
    object: JsValue,
    _fix: Closure<dyn FnMut(usize)>,
}

impl Editor {
    /// Loads the editor and opens it in the place of a text field. `None` if it cannot be loaded; the field remains.
    /// `fix` applies the fix of a finding.
    pub async fn open(field: &HtmlTextAreaElement, fix: impl FnMut(usize) + 'static) -> Option<Editor> {
        let boot = Reflect::get(&js_sys::global(), &"fairground".into()).ok()?;
        let module = JsFuture::from(call(&boot, "loadEditor", &[])?.dyn_into::<js_sys::Promise>().ok()?).await.ok()?;
        let fix = Closure::new(fix);
        // The panel may have been left meanwhile.
        let object = field.is_connected().then(|| call(&module, "open", &[field.as_ref(), fix.as_ref()]))??;
        Some(Editor { object, _fix: fix })
    }

    /// Shows a text, what is wrong with it, and, unless it is too long, which of its numbers others are linked with.
    pub fn show(&self, text: &str, policy: &str, findings: &[Diagnostic], linked_max: usize) {
        call(&self.object, "setText", &[&text.into()]);
        if text.len() < linked_max {
            call(&self.object, "setNumbers", &[&numbers(text, policy)]);
        }
        call(&self.object, "setFindings", &[&findings.iter().map(finding).collect::<Array>()]);
    }

    /// Selects a line, counted from 1.
    pub fn select(&self, line: u32) {
        call(&self.object, "select", &[&line.into()]);
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        call(&self.object, "close", &[]);
    }
}

fn call(object: &JsValue, name: &str, arguments: &[&JsValue]) -> Option<JsValue> {
    let function: Function = Reflect::get(object, &name.into()).ok()?.dyn_into().ok()?;
    function.apply(object, &arguments.iter().copied().collect()).ok()
}

/// The numbers in a text as line, column and name.
fn numbers(text: &str, policy: &str) -> Array {
    let named = positions(text).into_iter().filter_map(|(path, at)| Some((linked::of_field(policy, &path)?, at)));
    named.map(|(name, (line, column))| Array::of3(&line.into(), &column.into(), &name.into())).collect()
}

/// A finding as line, column, whether it is an error, message, and label of the fix.
fn finding(finding: &Diagnostic) -> Array {
    let (line, column) = finding.position.unwrap_or((1, 1));
    let fix = finding.fix.as_ref().map(|fix| fix.label.as_str());
    let is_error = finding.severity == Severity::Error;
    Array::of5(&line.into(), &column.into(), &is_error.into(), &finding.says.as_str().into(), &fix.into())
}
