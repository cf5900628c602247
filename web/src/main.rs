//! One program for the page and its worker; the global it finds itself in tells which of them it is.

use wasm_bindgen::JsCast;
use web_sys::DedicatedWorkerGlobalScope;

fn main() {
    // Without this a bug ends as "unreachable executed", with no word of where.
    std::panic::set_hook(Box::new(|bug| web_sys::console::error_1(&bug.to_string().into())));
    match js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() {
        Ok(scope) => fairground_web::worker::serve(scope),
        Err(_) => fairground_web::page::mount(),
    }
}
