//! The engine in a worker: both ends of the transport.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use fairground::policy::Monitor;
use js_sys::{Array, Function, Reflect, Uint8Array};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, Event, MessageChannel, MessageEvent, MessagePort, Worker};

use super::token::{Token, TokenReader};
use super::{ReplyHandlers, now_ms};
use crate::engine::parcel::{Catalogues, Unpacking, pack};
use crate::engine::protocol::{Message, Request, Response};
use crate::engine::serve::Server;

/// How long the worker computes before it yields to messages, in milliseconds.
const SLICE_MS: f64 = 8.0;
/// Idle time before the worker computes in advance, in milliseconds.
const REST_MS: i32 = 30;
/// Time between two progress messages, in milliseconds.
const PROGRESS_MS: f64 = 120.0;

/// The page's end of the transport. Replies are read in slices and handled in the task of the browser after that, so
/// that no task delays a click for long.
pub struct WorkerLine {
    worker: Worker,
    /// Receives a message for each slice.
    read: MessagePort,
    /// Revoked to interrupt a cycle.
    token: RefCell<Option<Token>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_read: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl WorkerLine {
    /// Starts a worker through `assets/boot.js`, from the compiled module of this program that `boot.js` keeps.
    pub fn start(handlers: ReplyHandlers) -> Result<WorkerLine, JsValue> {
        let boot = Reflect::get(&js_sys::global(), &"fairground".into())?;
        let start: Function = Reflect::get(&boot, &"startWorker".into())?.dyn_into()?;
        let worker: Worker = start.call0(&boot)?.dyn_into()?;
        let channel = MessageChannel::new()?;
        let (next, read) = (channel.port1(), channel.port2());
        let arrived = Rc::new(RefCell::new(VecDeque::new()));
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new({
            let (next, arrived) = (next.clone(), arrived.clone());
            move |event: MessageEvent| {
                arrived.borrow_mut().extend(bytes_of(&event).map(Unpacking::new));
                let _ = next.post_message(&JsValue::NULL);
            }
        });
        let on_reply = handlers.on_reply.clone();
        let catalogues = RefCell::new(Catalogues::default());
        let on_read = Closure::<dyn FnMut(MessageEvent)>::new(move |_| {
            let until = now_ms() + SLICE_MS;
            let mut arriving = arrived.borrow_mut();
            let Some(first) = arriving.front_mut() else { return };
            while first.read_rows() {
                if now_ms() > until {
                    let _ = next.post_message(&JsValue::NULL);
                    return;
                }
            }
            let replies = arriving.pop_front().map(|first| first.finish(&mut catalogues.borrow_mut()));
            drop(arriving);
            replies.into_iter().flatten().for_each(|reply| on_reply(reply));
        });
        let dead = Cell::new(false);
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            event.prevent_default();
            if !dead.replace(true) {
                (handlers.on_death)();
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        read.set_onmessage(Some(on_read.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let (_on_message, _on_read, _on_error) = (on_message, on_read, on_error);
        let line = WorkerLine { worker, read, token: RefCell::default(), _on_message, _on_read, _on_error };
        line.replace_token();
        Ok(line)
    }

    pub fn send(&self, request: &Message<Request>) {
        // Fails only for sequences of unknown length, which no request contains.
        let bytes = postcard::to_stdvec(request).unwrap_or_default();
        self.post(&Uint8Array::from(bytes.as_slice()));
        if matches!(request.body, Request::Cancel) {
            self.replace_token();
        }
    }

    /// Revokes the present token, and sends the next one: a text, while requests are bytes.
    fn replace_token(&self) {
        if let Some(next) = Token::new() {
            self.post(&JsValue::from_str(&next.url));
            self.token.replace(Some(next));
        }
    }

    fn post(&self, message: &JsValue) {
        // Fails only for values that cannot be cloned; texts and bytes can.
        let _ = self.worker.post_message(message);
    }

    pub fn end(&self) {
        self.worker.set_onmessage(None);
        self.read.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// The worker's end: handles requests until the page terminates it. Receives messages between slices of work.
pub fn serve(scope: DedicatedWorkerGlobalScope) {
    let token = Rc::new(TokenReader::default());
    let out = Rc::new(Outbox::new(scope.clone()));
    let monitor = Monitor::new({
        let (token, out) = (token.clone(), out.clone());
        move |part| {
            out.report_cycle(part);
            token.is_revoked()
        }
    });
    // It stays borrowed if the engine dies at work: then nothing is answered until the page ends the worker.
    let server = Rc::new(RefCell::new(Server::new(monitor)));
    let Ok(channel) = MessageChannel::new() else { return };
    let (tick, tock) = (channel.port1(), channel.port2());
    let waiting = Rc::new(Cell::new(false));

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
        let (rest, token) = (rest.clone(), token.clone());
        Closure::<dyn FnMut(MessageEvent)>::new(move |_| {
            waiting.set(false);
            let Ok(mut server) = server.try_borrow_mut() else { return };
            token.begin_slice();
            let until = now_ms() + SLICE_MS;
            while server.is_busy() && now_ms() < until && !token.is_revoked() {
                out.begin_cycle(server.task_id());
                out.send(server.work());
            }
            if server.is_busy() {
                if !token.is_revoked() {
                    out.report(&out.reported_ms, || server.progress());
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
        if let Some(next) = event.data().as_string() {
            return token.replace(next);
        }
        let request = bytes_of(&event).and_then(|bytes| postcard::from_bytes::<Message<Request>>(&bytes).ok());
        let Some(request) = request else { return };
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
    /// Number of the request whose cycle is computed.
    task: Cell<Option<u64>>,
    /// Time of the last report within the cycle, or of its beginning: short ones are not reported.
    cycle_reported_ms: Cell<f64>,
    /// Time of the last report between two cycles.
    reported_ms: Cell<f64>,
}

impl Outbox {
    fn new(scope: DedicatedWorkerGlobalScope) -> Outbox {
        let (known, task) = (RefCell::default(), Cell::new(None));
        Outbox { scope, known, task, cycle_reported_ms: Cell::new(0.0), reported_ms: Cell::new(0.0) }
    }

    fn begin_cycle(&self, task: Option<u64>) {
        self.task.set(task);
        self.cycle_reported_ms.set(now_ms());
    }

    fn report_cycle(&self, part: Option<f64>) {
        let report = || Some(Message { generation: self.task.get()?, body: Response::CycleProgress { part: part? } });
        self.report(&self.cycle_reported_ms, report);
    }

    /// Sends a report of progress, unless the last one was a moment ago.
    fn report(&self, last_ms: &Cell<f64>, report: impl FnOnce() -> Option<Message<Response>>) {
        let now = now_ms();
        if now - last_ms.get() > PROGRESS_MS
            && let Some(report) = report()
        {
            last_ms.set(now);
            self.send(vec![report]);
        }
    }

    /// Sends replies in one message, so that the page draws them at once.
    fn send(&self, replies: Vec<Message<Response>>) {
        if !replies.is_empty() {
            let bytes = Uint8Array::from(pack(replies, &mut self.known.borrow_mut()).as_slice());
            // Moves the bytes: they are not copied again. Fails only for values that cannot be moved; bytes can.
            let _ = self.scope.post_message_with_transfer(&bytes, &Array::of1(&bytes.buffer()));
        }
    }
}

fn bytes_of(event: &MessageEvent) -> Option<Vec<u8>> {
    let bytes: Uint8Array = event.data().dyn_into().ok()?;
    Some(bytes.to_vec())
}
