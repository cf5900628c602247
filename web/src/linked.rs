//! Numbers that mean the same: while the pointer or the focus is at one of them, all are marked, in charts, tables,
//! sentences and fields.

use std::cell::RefCell;

use fairground::moment::Frame;
use fairground::policy::Policy;
use fairground::scenario::{Path, Segment};
use fairground::trace::Quantity;
use fairground::units::Resource;
use fairground::words::number::resource_key;
use fairground::words::{Fact, Party};
use leptos::leptos_dom::helpers::window_event_listener_untyped;
use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use web_sys::Element;

/// Names the number that an element shows, in its attribute `data-number`: that of a queue.
pub fn of_queue(queue: &str, quantity: Quantity, resource: Resource) -> String {
    number("queue", queue, quantity, resource)
}

/// Names a recorded amount.
pub fn of_fact(frame: &Frame, fact: &Fact) -> String {
    match fact.party {
        Party::Queue(queue) => of_queue(frame.queue(queue), fact.quantity, fact.resource),
        Party::Job(job) => number("job", frame.job(job), fact.quantity, fact.resource),
    }
}

fn number(kind: &str, owner: &str, quantity: Quantity, resource: Resource) -> String {
    let resource = match quantity {
        // The same for all resources.
        Quantity::Priority | Quantity::PriorityOffset => Resource::GPU,
        _ => resource,
    };
    format!("{kind} {} {} {owner}", quantity as u8, resource.index())
}

/// Names the number in a field of a queue or a job under a policy; `None`: decisions do not compare it.
pub fn of_field(policy: &str, at: &Path) -> Option<String> {
    let (Segment::Field(section), Segment::Named(owner)) = (at.0.first()?, at.0.get(1)?) else { return None };
    let mut fields = Vec::new();
    for segment in &at.0[2..] {
        let Segment::Field(field) = segment else { return None };
        fields.push(field.as_str());
    }
    let of_key = |key: &str| Resource::ACCOUNTED.into_iter().find(|known| resource_key(*known) == key);
    let in_queue = |quantity, key| Some(of_queue(owner, quantity, of_key(key)?));
    match (section.as_str(), fields.as_slice()) {
        ("queues", [resource, "quota"]) => in_queue(Quantity::Quota, resource),
        ("queues", [resource, "limit"]) => in_queue(Quantity::Limit, resource),
        ("queues", [resource, "weight"]) => in_queue(Quantity::Weight, resource),
        ("queues", ["priority"]) => {
            let priority = Policy::described_or_default(policy).queue.priority?;
            Some(of_queue(owner, priority.quantity, Resource::GPU))
        }
        ("jobs", ["priority"]) => Some(number("job", owner, Quantity::Priority, Resource::GPU)),
        ("jobs", [resource]) => Some(number("job", owner, Quantity::Request, of_key(resource)?)),
        _ => None,
    }
}

/// Installs the listeners for the lifetime of the page.
pub fn listen() {
    thread_local!(static POINTED: RefCell<Option<String>> = const { RefCell::new(None) });
    for name in ["pointerover", "focusin"] {
        let listener = window_event_listener_untyped(name, |event| {
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let shown = target.and_then(|target| target.closest("[data-number]").ok().flatten());
            let number = shown.and_then(|element| element.get_attribute("data-number"));
            if POINTED.with_borrow(|pointed| *pointed != number) {
                mark(number.as_deref());
                POINTED.set(number);
            }
        });
        std::mem::forget(listener);
    }
}

/// Marks all elements that show a number, and no others.
fn mark(number: Option<&str>) {
    // The text editor marks its own elements.
    let detail = web_sys::CustomEventInit::new();
    detail.set_detail(&number.into());
    if let Ok(event) = web_sys::CustomEvent::new_with_event_init_dict("linked", &detail) {
        let _ = window().dispatch_event(&event);
    }
    let Ok(all) = document().query_selector_all("[data-number]:not(.cm-line *)") else { return };
    for element in (0..all.length()).filter_map(|at| all.item(at)?.dyn_into::<Element>().ok()) {
        let is_it = number.is_some() && element.get_attribute("data-number").as_deref() == number;
        let _ = element.class_list().toggle_with_force("linked", is_it);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_queues_and_their_bars_are_the_same_number() {
        let at = Path::default().field("queues").named("team/a").field("gpu").field("quota");
        assert_eq!(of_field("", &at), Some(of_queue("team/a", Quantity::Quota, Resource::GPU)));
        assert_eq!(of_field("", &Path::default().field("nodes").named("n").field("gpu")), None);
        let priority = Path::default().field("queues").named("a").field("priority");
        for policy in Policy::products() {
            let number = policy.queue.priority.map(|priority| of_queue("a", priority.quantity, Resource::CPU));
            assert_eq!(of_field(policy.key, &priority), number, "{}", policy.key);
        }
    }

    #[test]
    fn fields_of_jobs_and_what_decisions_compare_are_the_same_number() {
        let job = Path::default().field("jobs").named("a1");
        let name = |quantity, resource| Some(number("job", "a1", quantity, resource));
        assert_eq!(of_field("", &job.field("memory")), name(Quantity::Request, Resource::MEMORY));
        assert_eq!(of_field("", &job.field("priority")), name(Quantity::Priority, Resource::GPU));
        assert_eq!(of_field("", &job.field("queue")), None);
    }
}
