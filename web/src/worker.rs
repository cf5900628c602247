//! Entry point of the worker.

use web_sys::DedicatedWorkerGlobalScope;

/// Handles messages of the page until the worker is terminated.
pub fn serve(scope: DedicatedWorkerGlobalScope) {
    crate::engine::transport::worker::serve(scope);
}
