//! The engine in a worker: both ends of the transport.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Function, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, Event, MessageChannel, MessageEvent, MessagePort, Worker};

use super::{ReplyHandlers, now_ms};
use crate::engine::parcel::{Catalogues, Parcel};
use crate::engine::protocol::{Message, Request, Response};
use crate::engine::serve::Server;

/// How long the worker computes before it yields to messages, in milliseconds.
const SLICE_MS: f64 = 8.0;
/// Idle time before the worker computes in advance, in milliseconds.
const REST_MS: i32 = 30;
/// Time between two progress messages, in milliseconds.
const PROGRESS_MS: f64 = 120.0;

/// The page's end of the transport. Replies are decoded in one task of the browser and handled in the next, so that
/// neither delays a click for long.
pub struct WorkerLine {
    worker: Worker,
    /// Receives a message for each decoded parcel.
    decoded: MessagePort,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_decoded: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl WorkerLine {
    /// Starts a worker through `assets/boot.js`, from the compiled module of this program that `boot.js` keeps.
    pub fn start(handlers: ReplyHandlers) -> Result<WorkerLine, JsValue> {
        let boot = Reflect::get(&js_sys::global(), &"fairground".into())?;
        let start: Function = Reflect::get(&boot, &"startWorker".into())?.dyn_into()?;
        let worker: Worker = start.call0(&boot)?.dyn_into()?;
        let channel = MessageChannel::new()?;
        let (sent, decoded) = (channel.port1(), channel.port2());
        let parcels = Rc::new(RefCell::new(VecDeque::new()));
        let arrived = parcels.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            arrived.borrow_mut().push_back(received::<Parcel>(&event).unwrap_or_default());
            let _ = sent.post_message(&JsValue::NULL);
        });
        let on_reply = handlers.on_reply.clone();
        let catalogues = RefCell::new(Catalogues::default());
        let on_decoded = Closure::<dyn FnMut(MessageEvent)>::new(move |_| {
            let parcel = parcels.borrow_mut().pop_front().unwrap_or_default();
            for reply in parcel.unpack(&mut catalogues.borrow_mut()) {
                on_reply(reply);
            }
        });
        let dead = Cell::new(false);
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            event.prevent_default();
            if !dead.replace(true) {
                (handlers.on_death)();
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        decoded.set_onmessage(Some(on_decoded.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let (_on_message, _on_decoded, _on_error) = (on_message, on_decoded, on_error);
        Ok(WorkerLine { worker, decoded, _on_message, _on_decoded, _on_error })
    }

    pub fn send(&self, request: &Message<Request>) {
        // Fails only for values that cannot be cloned; bytes can.
        let _ = self.worker.post_message(&bytes(request));
    }

    pub fn end(&self) {
        self.worker.set_onmessage(None);
        self.decoded.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// The worker's end: handles requests until the page terminates it. Receives messages between slices of work.
pub fn serve(scope: DedicatedWorkerGlobalScope) {
    // It stays borrowed if the engine dies at work: then nothing is answered until the page ends the worker.
    let server = Rc::new(RefCell::new(Server::default()));
    let Ok(channel) = MessageChannel::new() else { return };
    let (tick, tock) = (channel.port1(), channel.port2());
    let waiting = Rc::new(Cell::new(false));
    let out = Rc::new(Outbox { scope: scope.clone(), known: RefCell::default() });
    let told_ms = Rc::new(Cell::new(0.0));

    let next_slice = {
        let waiting = waiting.clone();
        Rc::new(move || {
            if !waiting.replace(true) {
                let _ = tick.post_message(&JsValue::NULL);
            }
        })
    };
    let rest = idle_timer(scope.clone(), server.clone());
    let on_slice = {
        let (server, out, next_slice) = (server.clone(), out.clone(), next_slice.clone());
        let rest = rest.clone();
        Closure::<dyn FnMut(MessageEvent)>::new(move |_| {
            waiting.set(false);
            let Ok(mut server) = server.try_borrow_mut() else { return };
            let until = now_ms() + SLICE_MS;
            while server.is_busy() && now_ms() < until {
                out.send(server.work());
            }
            if server.is_busy() {
                let now = now_ms();
                if now - told_ms.get() > PROGRESS_MS {
                    told_ms.set(now);
                    out.send(server.progress().into_iter().collect());
                }
                next_slice();
            } else {
                rest();
            }
        })
    };
    tock.set_onmessage(Some(on_slice.as_ref().unchecked_ref()));
    on_slice.forget();

    out.send(vec![ready()]);
    let on_request = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Some(request) = received::<Message<Request>>(&event) else { return };
        let Ok(mut server) = server.try_borrow_mut() else { return };
        out.send(server.handle(request));
        next_slice();
    });
    scope.set_onmessage(Some(on_request.as_ref().unchecked_ref()));
    on_request.forget();
}

/// Returns a function that restarts the idle timer, which computes ahead when it elapses.
fn idle_timer(scope: DedicatedWorkerGlobalScope, server: Rc<RefCell<Server>>) -> Rc<dyn Fn()> {
    let timer = Cell::new(None);
    let look = Closure::<dyn FnMut()>::new(move || {
        if let Ok(mut server) = server.try_borrow_mut() {
            server.look_ahead();
        }
    });
    Rc::new(move || {
        if let Some(timer) = timer.take() {
            scope.clear_timeout_with_handle(timer);
        }
        let look = look.as_ref().unchecked_ref();
        timer.set(scope.set_timeout_with_callback_and_timeout_and_arguments_0(look, REST_MS).ok());
    })
}

/// Sent once the engine has started.
fn ready() -> Message<Response> {
    Message { generation: 0, body: Response::Ready }
}

/// Sends replies, and tracks what the page already knows.
struct Outbox {
    scope: DedicatedWorkerGlobalScope,
    known: RefCell<Catalogues>,
}

impl Outbox {
    /// Sends replies in one message, so that the page draws them at once.
    fn send(&self, replies: Vec<Message<Response>>) {
        if !replies.is_empty() {
            let parcel = Parcel::pack(replies, &mut self.known.borrow_mut());
            // Fails only for values that cannot be cloned; bytes can.
            let _ = self.scope.post_message(&bytes(&parcel));
        }
    }
}

fn bytes<T: Serialize>(message: &T) -> JsValue {
    // Fails only for sequences of unknown length, which no message contains.
    Uint8Array::from(postcard::to_stdvec(message).unwrap_or_default().as_slice()).into()
}

fn received<T: DeserializeOwned>(event: &MessageEvent) -> Option<T> {
    let bytes: Uint8Array = event.data().dyn_into().ok()?;
    postcard::from_bytes(&bytes.to_vec()).ok()
}
