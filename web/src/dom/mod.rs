//! What a view is made of, and how it comes on the page.
//!
//! # Why not Leptos' own elements
//! Leptos gives every piece of markup a type, and every type its own code for building, rebuilding and removing it:
//! more than half of what a visitor downloaded. Here markup is data ([`Node`]) that one interpreter ([`place`]) mounts and
//! patches. Signals, effects, owners, components and event types stay Leptos'; `view!` reads the same language.
//!
//! # Rule
//! A closure in a view is re-read whenever a signal that it read changes; what it returns is compared with what stands
//! there, place by place: equal tags are kept and patched, everything else is replaced. Items of a list keep their
//! elements by key, and live in an owner of their own until they go.

mod convert;
pub mod later;
mod list;
pub mod pace;
mod place;
pub mod prelude;

use std::borrow::Cow;
use std::rc::Rc;

use leptos::tachys::html::element::ElementType;
use leptos::tachys::html::event::EventDescriptor;
use leptos::tachys::html::node_ref::NodeRefContainer;
use wasm_bindgen::{JsCast, JsValue};

pub use convert::{CollectView, IntoValue, IntoView};
pub use list::{each, otherwise, show};
use place::mount;

/// Puts a view into an element, for good, with an owner of its own.
pub fn mount_to(parent: web_sys::HtmlElement, view: impl FnOnce() -> Node + 'static) {
    let place = parent.clone();
    // Leptos' own way of mounting sets its executor and owner up; for it there is nothing to show.
    leptos::mount::mount_to(parent, move || mount(&place, view())).forget();
}

/// Text, mostly written in the program.
pub type Words = Cow<'static, str>;

/// A view.
pub enum Node {
    /// Nothing.
    Empty,
    /// Text, never markup.
    Text(Words),
    /// An element.
    Element(Box<Element>),
    /// One after the other.
    Many(Vec<Node>),
    /// Made anew whenever a signal that it reads changes.
    Live(Box<dyn Fn() -> Node>),
    /// A list whose items are kept by key.
    Keyed(list::Items),
}

/// What a component shows inside; made once.
pub type Children = Box<dyn FnOnce() -> Node>;

/// An element to be.
pub struct Element {
    tag: &'static str,
    fixed: &'static [(&'static str, &'static str)],
    parts: Vec<Part>,
    children: Vec<Node>,
}

/// What is set on an element beside fixed attributes.
enum Part {
    Set(Kind, &'static str, Value),
    On(Words, Handler),
    Reference(Box<dyn FnOnce(&web_sys::Element)>),
}

/// What a value is set as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An attribute; `None` removes it.
    Attribute,
    /// One class; any value sets it, `None` removes it.
    Class,
    /// One style property; `None` removes it.
    Style,
    /// A property of the element: a switch for `checked` and `selected`, a text for others.
    Property,
    /// The markup inside.
    Html,
}

/// A value, or where it is read from.
pub enum Value {
    /// It does not change.
    Fixed(Option<Words>),
    /// It is read again whenever a signal that it reads changes.
    Live(Box<dyn Fn() -> Option<Words>>),
}

/// What happens on an event.
pub type Handler = Rc<dyn Fn(web_sys::Event)>;

impl Element {
    /// An element without anything.
    pub fn new(tag: &'static str) -> Box<Element> {
        Box::new(Element { tag, fixed: &[], parts: Vec::new(), children: Vec::new() })
    }

    /// Attributes that never change.
    pub fn fixed(&mut self, fixed: &'static [(&'static str, &'static str)]) {
        self.fixed = fixed;
    }

    /// Something that is set.
    pub fn part(&mut self, kind: Kind, name: &'static str, value: Value) {
        self.parts.push(Part::Set(kind, name, value));
    }

    /// A handler.
    pub fn on(&mut self, (event, handler): (Words, Handler)) {
        self.parts.push(Part::On(event, handler));
    }

    /// Somebody who wants the element.
    pub fn reference(&mut self, load: Box<dyn FnOnce(&web_sys::Element)>) {
        self.parts.push(Part::Reference(load));
    }

    /// What stands in it.
    pub fn child(&mut self, child: Node) {
        self.children.push(child);
    }

    /// As a node.
    pub fn into_node(self: Box<Self>) -> Node {
        Node::Element(self)
    }
}

/// Fixed text.
pub fn text(text: &'static str) -> Node {
    Node::Text(Cow::Borrowed(text))
}

/// A handler of an event, typed by the event.
pub fn handler<D>(event: D, handle: impl Fn(D::EventType) + 'static) -> (Words, Handler)
where
    D: EventDescriptor,
    D::EventType: JsCast,
{
    (event.name(), Rc::new(move |event| handle(event.unchecked_into())))
}

/// Puts the element into a reference.
pub fn reference<E>(container: impl NodeRefContainer<E> + 'static) -> Box<dyn FnOnce(&web_sys::Element)>
where
    E: ElementType,
{
    Box::new(move |element| container.load(element))
}

/// The element that an event is for, as the type that its markup says.
pub fn target<T: JsCast>(event: &web_sys::Event) -> Option<T> {
    event.target().map(JsCast::unchecked_into)
}

/// The text of the field that an event came from.
pub fn field_text(event: &web_sys::Event) -> String {
    let field = event.target().map(JsValue::from).unwrap_or_default();
    js_sys::Reflect::get(&field, &"value".into()).ok().and_then(|value| value.as_string()).unwrap_or_default()
}
