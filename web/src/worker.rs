//! The engine's side of the border: answers messages of the page.

use web_sys::DedicatedWorkerGlobalScope;

/// Listens for messages until the page ends the worker.
pub fn serve(scope: DedicatedWorkerGlobalScope) {
    crate::engine::transport::worker::serve(scope);
}
