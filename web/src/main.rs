//! Entry point of page and worker; the type of the global object decides which one runs.

use wasm_bindgen::JsCast;
use web_sys::DedicatedWorkerGlobalScope;

fn main() {
    // Without this hook, a panic shows only "unreachable executed".
    std::panic::set_hook(Box::new(|bug| web_sys::console::error_1(&bug.to_string().into())));
    match js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() {
        Ok(scope) => fairground_web::worker::serve(scope),
        Err(_) => fairground_web::page::mount(),
    }
}
