//! The engine's side of the border: answers messages of the page.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// Listens for messages until the page ends the worker.
pub fn serve(scope: DedicatedWorkerGlobalScope) {
    let reply_to = scope.clone();
    let answer = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let request = event.data().as_string().unwrap_or_default();
        // Fails only for values that cannot be copied; text can.
        let _ = reply_to.post_message(&reply(&request).into());
    });
    scope.set_onmessage(Some(answer.as_ref().unchecked_ref()));
    answer.forget();
}

/// The answer to one request.
fn reply(request: &str) -> String {
    match request {
        "ping" => "pong".to_owned(),
        other => format!("unknown request: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::reply;

    #[test]
    fn a_ping_is_answered() {
        assert_eq!(reply("ping"), "pong");
        assert_eq!(reply("?"), "unknown request: ?");
    }
}
