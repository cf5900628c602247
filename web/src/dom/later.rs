//! Views whose code is fetched when they are first shown.
//!
//! What a visitor does not see at once (dialogs, forms, further charts) is cut out of the page's module by the build:
//! a function marked `#[wasm_split(chunk, fallible)]` and all that only such functions reach becomes a file of its own.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use leptos::prelude::{ArcRwSignal, Get, Set};
pub use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::Node;

/// A view, or word that its code could not be fetched.
pub type Fetched = Result<Node, SplitLoaderError>;

type Loading<T> = Pin<Box<dyn Future<Output = Result<T, SplitLoaderError>>>>;

/// The view that `part` makes, once `preload` has fetched its code: nothing until then, a sentence if that fails.
///
/// Both are what `wasm_split` makes of one function: `part` is that function, `preload` fetches without calling it.
/// In between nothing is built, because a view must be built under the owner it is shown by.
pub fn later<L, P>(preload: fn() -> L, part: impl Fn() -> P + 'static) -> Node
where
    L: Future<Output = Result<(), SplitLoaderError>> + 'static,
    P: Future<Output = Fetched> + 'static,
{
    once_there(Box::new(move || Box::pin(preload())), Box::new(move || Box::pin(part())))
}

fn once_there(preload: Box<dyn Fn() -> Loading<()>>, part: Box<dyn Fn() -> Loading<Node>>) -> Node {
    // Counted, because the answer may come when the place it was for is gone.
    let came = ArcRwSignal::new(None::<bool>);
    Node::Live(Box::new(move || {
        if came.get() == Some(false) {
            return Node::Text(NOT_LOADED.into());
        }
        let mut loading = preload();
        if at_once(&mut loading).is_some_and(|loaded| loaded.is_ok()) {
            return at_once(&mut part()).and_then(Result::ok).unwrap_or(Node::Empty);
        }
        let came = came.clone();
        leptos::task::spawn_local(async move { came.set(Some(loading.await.is_ok())) });
        Node::Empty
    }))
}

const NOT_LOADED: &str = "This part of the page could not be loaded. Check the connection and open it again.";

/// What a future gives without waiting.
fn at_once<T>(future: &mut Loading<T>) -> Option<Result<T, SplitLoaderError>> {
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
