//! Mounts nodes on the page, patches what stands there, and takes it away.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::{Owner, untrack};
use leptos::reactive::effect::RenderEffect;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use web_sys::Node as Spot;

use super::list::Items;
use super::{Element, Handler, Kind, Node, Part, Value, Words};

const SVG: &str = "http://www.w3.org/2000/svg";

/// What stands on the page. Each has at least one node there, its last one known, so that places stay findable.
enum Placed {
    Empty(Spot),
    Text(Spot, Words),
    Element(Box<PlacedElement>),
    Many(Vec<Placed>, Spot),
    Live(RenderEffect<Option<Placed>>, Spot),
    Keyed(RenderEffect<Vec<Item>>, Spot),
}

struct PlacedElement {
    element: web_sys::Element,
    tag: &'static str,
    fixed: &'static [(&'static str, &'static str)],
    parts: Vec<PlacedPart>,
    children: Vec<Placed>,
}

enum PlacedPart {
    Fixed(Kind, &'static str, Option<Words>),
    Live(Kind, &'static str, RenderEffect<Option<Words>>),
    On(Listener),
    Reference,
}

struct Listener {
    element: web_sys::Element,
    event: Words,
    handler: Rc<RefCell<Handler>>,
    closure: Closure<dyn Fn(web_sys::Event)>,
}

struct Item {
    key: u64,
    /// What the item made lives as long as the item.
    owner: Owner,
    placed: Placed,
}

/// Puts a view into an element, for good.
pub(super) fn mount(parent: &web_sys::Element, node: Node) {
    std::mem::forget(place(node, parent, None, false));
}

/// Puts a node on the page, before `before` or last.
fn place(node: Node, parent: &Spot, before: Option<&Spot>, is_svg: bool) -> Placed {
    match node {
        Node::Empty => Placed::Empty(anchor(parent, before)),
        Node::Text(words) => {
            let text: Spot = document().create_text_node(&words).into();
            insert(parent, &text, before);
            Placed::Text(text, words)
        }
        Node::Element(element) => Placed::Element(place_element(*element, parent, before, is_svg)),
        Node::Many(nodes) => {
            let end = anchor(parent, before);
            let all = nodes.into_iter().map(|node| place(node, parent, Some(&end), is_svg)).collect();
            Placed::Many(all, end)
        }
        Node::Live(make) => {
            let end = anchor(parent, before);
            Placed::Live(live(make, end.clone(), None, is_svg), end)
        }
        Node::Keyed(items) => {
            let end = anchor(parent, before);
            Placed::Keyed(keyed(items, end.clone(), None, is_svg), end)
        }
    }
}

fn place_element(made: Element, parent: &Spot, before: Option<&Spot>, is_svg: bool) -> Box<PlacedElement> {
    let Element { tag, fixed, parts, children } = made;
    let is_svg = is_svg || tag == "svg";
    let document = document();
    let element =
        if is_svg { document.create_element_ns(Some(SVG), tag) } else { document.create_element(tag) };
    let element = element.expect("tags are written in the program");
    for (name, value) in fixed {
        let _ = element.set_attribute(name, value);
    }
    let children = children.into_iter().map(|child| place(child, &element, None, is_svg)).collect();
    // After the children: a property of a list of options may name one of them.
    let parts = parts.into_iter().map(|part| place_part(part, &element)).collect();
    insert(parent, &element, before);
    Box::new(PlacedElement { element, tag, fixed, parts, children })
}

fn place_part(part: Part, element: &web_sys::Element) -> PlacedPart {
    match part {
        Part::Set(kind, name, Value::Fixed(words)) => {
            if words.is_some() || kind == Kind::Property {
                set(element, kind, name, words.as_deref());
            }
            PlacedPart::Fixed(kind, name, words)
        }
        Part::Set(kind, name, Value::Live(read)) => {
            PlacedPart::Live(kind, name, live_value(read, element.clone(), kind, name, None))
        }
        Part::On(event, handler) => PlacedPart::On(listen(element, event, handler)),
        Part::Reference(load) => {
            load(element);
            PlacedPart::Reference
        }
    }
}

fn listen(element: &web_sys::Element, event: Words, handler: Handler) -> Listener {
    let handler = Rc::new(RefCell::new(handler));
    let shared = handler.clone();
    let closure = Closure::<dyn Fn(web_sys::Event)>::new(move |event| {
        let handler = shared.borrow().clone();
        handler(event);
    });
    let _ = element.add_event_listener_with_callback(&event, closure.as_ref().unchecked_ref());
    Listener { element: element.clone(), event, handler, closure }
}

impl Drop for Listener {
    /// An event that is on its way up must not find a listener that is gone.
    fn drop(&mut self) {
        let closure = self.closure.as_ref().unchecked_ref();
        let _ = self.element.remove_event_listener_with_callback(&self.event, closure);
    }
}

/// A node that is made anew whenever what it read changes, placed before `end`.
fn live(
    make: Box<dyn Fn() -> Node>,
    end: Spot,
    old: Option<Placed>,
    is_svg: bool,
) -> RenderEffect<Option<Placed>> {
    let run = move |old: Option<Option<Placed>>| {
        let node = make();
        let parent = end.parent_node()?;
        Some(match old.flatten() {
            Some(old) => patch(old, node, &parent, is_svg),
            None => place(node, &parent, Some(&end), is_svg),
        })
    };
    RenderEffect::new_with_value(run, old.map(Some))
}

fn live_value(
    read: Box<dyn Fn() -> Option<Words>>,
    element: web_sys::Element,
    kind: Kind,
    name: &'static str,
    old: Option<Option<Words>>,
) -> RenderEffect<Option<Words>> {
    let run = move |old: Option<Option<Words>>| {
        let words = read();
        // A property may have been changed by the person in front of it.
        if kind == Kind::Property || old.as_ref().map_or(words.is_some(), |old| *old != words) {
            set(&element, kind, name, words.as_deref());
        }
        words
    };
    RenderEffect::new_with_value(run, old)
}

/// A list before `end`, its items kept by key.
fn keyed(items: Items, end: Spot, old: Option<Vec<Item>>, is_svg: bool) -> RenderEffect<Vec<Item>> {
    let list_owner = Owner::current().unwrap_or_default();
    let run = move |old: Option<Vec<Item>>| {
        let wanted = items();
        let Some(parent) = end.parent_node() else { return old.unwrap_or_default() };
        let mut old: Vec<Option<Item>> = old.unwrap_or_default().into_iter().map(Some).collect();
        let mut kept = Vec::with_capacity(wanted.len());
        // Mostly everything stays where it was, so the next old item is tried first.
        let mut next = 0;
        for (key, make) in wanted {
            let is_it = |item: &Option<Item>| item.as_ref().is_some_and(|item| item.key == key);
            let at = if old.get(next).is_some_and(is_it) { Some(next) } else { old.iter().position(is_it) };
            match at {
                Some(at) => {
                    next = at + 1;
                    kept.push((old[at].take(), key, None));
                }
                None if kept.iter().any(|(_, other, _)| *other == key) => {}
                None => kept.push((None, key, Some(make))),
            }
        }
        old.into_iter().flatten().for_each(drop_item);
        let mut before = end.clone();
        let mut placed = Vec::with_capacity(kept.len());
        for (item, key, make) in kept.into_iter().rev() {
            let item = match (item, make) {
                (Some(item), _) => {
                    move_before(&item.placed, &parent, &before);
                    item
                }
                (None, make) => {
                    let owner = list_owner.with(Owner::new);
                    let node = || untrack(|| make.map_or(Node::Empty, |make| make()));
                    let placed = owner.with(|| place(node(), &parent, Some(&before), is_svg));
                    Item { key, owner, placed }
                }
            };
            before = first_spot(&item.placed);
            placed.push(item);
        }
        placed.reverse();
        placed
    };
    RenderEffect::new_with_value(run, old)
}

fn drop_item(mut item: Item) {
    silence(&mut item.placed);
    item.owner.cleanup();
    remove(item.placed);
}

/// Makes what stands there into what should.
fn patch(old: Placed, node: Node, parent: &Spot, is_svg: bool) -> Placed {
    match (old, node) {
        (Placed::Empty(spot), Node::Empty) => Placed::Empty(spot),
        (Placed::Text(spot, old), Node::Text(words)) => {
            if old != words {
                spot.set_node_value(Some(&words));
            }
            Placed::Text(spot, words)
        }
        (Placed::Element(old), Node::Element(made)) if is_patchable(&old, &made) => {
            Placed::Element(patch_element(*old, *made, is_svg))
        }
        (Placed::Many(old, end), Node::Many(nodes)) => {
            let mut old = old.into_iter();
            let mut all = Vec::with_capacity(nodes.len());
            for node in nodes {
                all.push(match old.next() {
                    Some(old) => patch(old, node, parent, is_svg),
                    None => place(node, parent, Some(&end), is_svg),
                });
            }
            old.for_each(take_away);
            Placed::Many(all, end)
        }
        (Placed::Live(effect, end), Node::Live(make)) => {
            let old = effect.take_value().flatten();
            drop(effect);
            Placed::Live(live(make, end.clone(), old, is_svg), end)
        }
        (Placed::Keyed(effect, end), Node::Keyed(items)) => {
            // The items' closures may hold what is gone with the owner of the old list, so they are made anew.
            effect.take_value().into_iter().flatten().for_each(drop_item);
            drop(effect);
            Placed::Keyed(keyed(items, end.clone(), None, is_svg), end)
        }
        (old, node) => {
            let next = last_spot(&old).next_sibling();
            take_away(old);
            place(node, parent, next.as_ref(), is_svg)
        }
    }
}

fn is_patchable(old: &PlacedElement, made: &Element) -> bool {
    let same = |(old, made): (&PlacedPart, &Part)| match (old, made) {
        (PlacedPart::Fixed(a, name, _) | PlacedPart::Live(a, name, _), Part::Set(b, other, _)) => {
            a == b && name == other
        }
        (PlacedPart::On(listener), Part::On(event, _)) => listener.event == *event,
        (PlacedPart::Reference, Part::Reference(_)) => true,
        _ => false,
    };
    old.tag == made.tag
        && old.fixed == made.fixed
        && old.parts.len() == made.parts.len()
        && old.children.len() == made.children.len()
        && old.parts.iter().zip(&made.parts).all(same)
}

fn patch_element(old: PlacedElement, made: Element, is_svg: bool) -> Box<PlacedElement> {
    let PlacedElement { element, tag, fixed, parts, children } = old;
    let is_svg = is_svg || tag == "svg";
    let spot: &Spot = &element;
    let children =
        children.into_iter().zip(made.children).map(|(old, child)| patch(old, child, spot, is_svg)).collect();
    let parts =
        parts.into_iter().zip(made.parts).map(|(old, part)| patch_part(old, part, &element)).collect();
    Box::new(PlacedElement { element, tag, fixed, parts, children })
}

fn patch_part(old: PlacedPart, part: Part, element: &web_sys::Element) -> PlacedPart {
    match (old, part) {
        (PlacedPart::On(listener), Part::On(_, handler)) => {
            *listener.handler.borrow_mut() = handler;
            PlacedPart::On(listener)
        }
        (PlacedPart::Fixed(kind, name, old), Part::Set(_, _, value)) => {
            patch_value(old, value, element, kind, name)
        }
        (PlacedPart::Live(kind, name, effect), Part::Set(_, _, value)) => {
            let old = effect.take_value().flatten();
            drop(effect);
            patch_value(old, value, element, kind, name)
        }
        (_, part) => place_part(part, element),
    }
}

fn patch_value(
    old: Option<Words>,
    value: Value,
    element: &web_sys::Element,
    kind: Kind,
    name: &'static str,
) -> PlacedPart {
    match value {
        Value::Fixed(words) => {
            if words != old {
                set(element, kind, name, words.as_deref());
            }
            PlacedPart::Fixed(kind, name, words)
        }
        Value::Live(read) => {
            PlacedPart::Live(kind, name, live_value(read, element.clone(), kind, name, Some(old)))
        }
    }
}

fn set(element: &web_sys::Element, kind: Kind, name: &str, words: Option<&str>) {
    let _ = match (kind, words) {
        (Kind::Attribute, Some(words)) => element.set_attribute(name, words),
        (Kind::Attribute, None) => element.remove_attribute(name),
        (Kind::Class, words) => element.class_list().toggle_with_force(name, words.is_some()).map(drop),
        (Kind::Style, words) => {
            let style = element.unchecked_ref::<web_sys::HtmlElement>().style();
            match words {
                Some(words) => style.set_property(name, words),
                None => style.remove_property(name).map(drop),
            }
        }
        (Kind::Property, words) => {
            let value = match name {
                "checked" | "selected" => JsValue::from_bool(words.is_some()),
                _ => JsValue::from_str(words.unwrap_or_default()),
            };
            js_sys::Reflect::set(element, &JsValue::from_str(name), &value).map(drop)
        }
        (Kind::Html, words) => {
            element.set_inner_html(words.unwrap_or_default());
            Ok(())
        }
    };
}

/// Takes something away with everything in it.
fn take_away(mut placed: Placed) {
    silence(&mut placed);
    remove(placed);
}

/// Browsers tell elements that they lose the focus while they are taken away; nobody is there to hear it any more.
fn silence(placed: &mut Placed) {
    match placed {
        Placed::Empty(_) | Placed::Text(..) => {}
        Placed::Element(element) => {
            element.parts.clear();
            element.children.iter_mut().for_each(silence);
        }
        Placed::Many(all, _) => all.iter_mut().for_each(silence),
        Placed::Live(effect, _) => {
            effect.with_value_mut(|placed| placed.iter_mut().for_each(silence));
        }
        Placed::Keyed(effect, _) => {
            effect.with_value_mut(|items| items.iter_mut().for_each(|item| silence(&mut item.placed)));
        }
    }
}

fn remove(placed: Placed) {
    match placed {
        Placed::Empty(spot) | Placed::Text(spot, _) => detach(&spot),
        Placed::Element(element) => {
            detach(&element.element);
            element.children.into_iter().for_each(end);
        }
        Placed::Many(all, end) => {
            all.into_iter().for_each(remove);
            detach(&end);
        }
        Placed::Live(effect, end) => {
            effect.take_value().flatten().into_iter().for_each(remove);
            detach(&end);
        }
        Placed::Keyed(effect, end) => {
            for item in effect.take_value().into_iter().flatten() {
                item.owner.cleanup();
                remove(item.placed);
            }
            detach(&end);
        }
    }
}

/// Ends what goes on in something that is off the page. An effect that is dropped keeps its value until its task is
/// polled once more; what stands inside must not read until then what is gone with its owner.
fn end(placed: Placed) {
    match placed {
        Placed::Empty(_) | Placed::Text(..) => {}
        Placed::Element(element) => element.children.into_iter().for_each(end),
        Placed::Many(all, _) => all.into_iter().for_each(end),
        Placed::Live(effect, _) => effect.take_value().flatten().into_iter().for_each(end),
        Placed::Keyed(effect, _) => {
            for item in effect.take_value().into_iter().flatten() {
                item.owner.cleanup();
                end(item.placed);
            }
        }
    }
}

/// The last node of what is placed.
fn last_spot(placed: &Placed) -> &Spot {
    match placed {
        Placed::Empty(spot) | Placed::Text(spot, _) => spot,
        Placed::Element(element) => &element.element,
        Placed::Many(_, end) | Placed::Live(_, end) | Placed::Keyed(_, end) => end,
    }
}

/// The first node of what is placed.
fn first_spot(placed: &Placed) -> Spot {
    let inner = match placed {
        Placed::Many(all, _) => all.first().map(first_spot),
        Placed::Live(effect, _) => effect.with_value_mut(|placed| placed.as_ref().map(first_spot)).flatten(),
        Placed::Keyed(effect, _) => {
            effect.with_value_mut(|items| items.first().map(|item| first_spot(&item.placed))).flatten()
        }
        _ => None,
    };
    inner.unwrap_or_else(|| last_spot(placed).clone())
}

/// Moves everything from first to last before `before`, unless it is there already.
fn move_before(placed: &Placed, parent: &Spot, before: &Spot) {
    let last = last_spot(placed).clone();
    if last.next_sibling().as_ref() == Some(before) {
        return;
    }
    let mut spot = first_spot(placed);
    loop {
        let next = spot.next_sibling();
        insert(parent, &spot, Some(before));
        match next {
            Some(next) if spot != last => spot = next,
            _ => return,
        }
    }
}

/// An invisible node that marks a place.
fn anchor(parent: &Spot, before: Option<&Spot>) -> Spot {
    let spot: Spot = document().create_comment("").into();
    insert(parent, &spot, before);
    spot
}

fn insert(parent: &Spot, spot: &Spot, before: Option<&Spot>) {
    let _ = parent.insert_before(spot, before);
}

fn detach(spot: &Spot) {
    if let Some(parent) = spot.parent_node() {
        let _ = parent.remove_child(spot);
    }
}

fn document() -> web_sys::Document {
    leptos::prelude::document()
}
