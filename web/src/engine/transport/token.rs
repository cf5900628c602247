//! Interrupts the engine in the middle of a cycle, when its worker receives no messages.
//!
//! The page gives the worker the address of a file in memory and revokes it; the worker reads the file synchronously from
//! time to time. Memory that both share would be simpler, but a browser grants it only to sites that send certain
//! headers, which not every static host does.

use std::cell::{Cell, RefCell};

use web_sys::{Blob, Url, XmlHttpRequest};

use super::now_ms;

/// Time from the beginning of a slice, and between two reads, in milliseconds: a read takes some milliseconds.
const READ_AFTER_MS: f64 = 100.0;

/// The page's end: the address of an empty file, revoked when dropped.
pub struct Token {
    pub url: String,
}

impl Token {
    /// Fails if the browser has no such addresses; the engine is then not interrupted.
    pub fn new() -> Option<Token> {
        let url = Url::create_object_url_with_blob(&Blob::new().ok()?).ok()?;
        Some(Token { url })
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        let _ = Url::revoke_object_url(&self.url);
    }
}

/// The worker's end.
#[derive(Default)]
pub struct TokenReader {
    /// Empty: there is none that can be read.
    url: RefCell<String>,
    read_ms: Cell<f64>,
    is_revoked: Cell<bool>,
}

impl TokenReader {
    /// Takes the token that follows the revoked one.
    pub fn replace(&self, url: String) {
        self.is_revoked.set(false);
        *self.url.borrow_mut() = if can_be_read(&url) { url } else { String::new() };
    }

    /// Begins a slice of work.
    pub fn begin_slice(&self) {
        self.read_ms.set(now_ms());
    }

    /// Whether the token was revoked and not replaced yet.
    pub fn is_revoked(&self) -> bool {
        let (now, url) = (now_ms(), self.url.borrow());
        if !url.is_empty() && !self.is_revoked.get() && now - self.read_ms.get() > READ_AFTER_MS {
            self.is_revoked.set(!can_be_read(&url));
            self.read_ms.set(now_ms());
        }
        self.is_revoked.get()
    }
}

fn can_be_read(url: &str) -> bool {
    let read = || {
        let request = XmlHttpRequest::new()?;
        request.open_with_async("GET", url, false)?;
        request.send()
    };
    read().is_ok()
}
