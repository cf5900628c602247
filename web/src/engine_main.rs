//! The engine alone, with all policies and importers: what the worker runs once the page's own module, which has
//! but the first policies, is not enough.

use wasm_bindgen::JsCast;
use web_sys::DedicatedWorkerGlobalScope;

fn main() {
    // Without this a bug ends as "unreachable executed", with no word of where.
    std::panic::set_hook(Box::new(|bug| web_sys::console::error_1(&bug.to_string().into())));
    if let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() {
        fairground_web::worker::serve(scope);
    }
}
