//! Views that depend on a condition, and lists.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::rc::Rc;

use leptos::prelude::{Get, Memo};

use super::{IntoView, Node};

/// The items of a list, from first to last: key, and how the item is made.
pub type Items = Box<dyn Fn() -> Vec<(u64, Box<dyn FnOnce() -> Node>)>>;

/// Shows the children while the condition holds; they are made anew whenever it begins to hold, not before.
pub fn show(
    when: impl Fn() -> bool + Send + Sync + 'static,
    children: impl Fn() -> Node + 'static,
    fallback: Option<Box<dyn Fn() -> Node>>,
) -> Node {
    let when: Box<dyn Fn() -> bool + Send + Sync> = Box::new(when);
    shown(when, Box::new(children), fallback)
}

fn shown(
    when: Box<dyn Fn() -> bool + Send + Sync>,
    children: Box<dyn Fn() -> Node>,
    fallback: Option<Box<dyn Fn() -> Node>>,
) -> Node {
    let holds = Memo::new(move |_| when());
    Node::Live(Box::new(move || match (holds.get(), &fallback) {
        (true, _) => children(),
        (false, Some(fallback)) => fallback(),
        (false, None) => Node::Empty,
    }))
}

/// What is shown while a condition does not hold.
pub fn otherwise<T: IntoView>(fallback: impl Fn() -> T + 'static) -> Option<Box<dyn Fn() -> Node>> {
    Some(Box::new(move || fallback().into_node()))
}

/// A key as a number: lists compare many, and one type of keys is enough code.
fn hash(key: &impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(key)
}

/// Shows each item; an item keeps its elements as long as its key is in the list. Of equal keys the first is shown.
pub fn each<I, K>(
    list: impl Fn() -> I + 'static,
    key: impl Fn(&I::Item) -> K + 'static,
    view: impl Fn(I::Item) -> Node + 'static,
) -> Node
where
    I: IntoIterator,
    I::Item: 'static,
    K: Hash,
{
    let view = Rc::new(view);
    Node::Keyed(Box::new(move || {
        list()
            .into_iter()
            .map(|item| {
                let (key, view) = (hash(&key(&item)), view.clone());
                (key, Box::new(move || view(item)) as Box<dyn FnOnce() -> Node>)
            })
            .collect()
    }))
}
