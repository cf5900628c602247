//! A static file server for development and the browser tests: loopback only, GET and HEAD.

use std::io::Write;
use std::net::Ipv4Addr;
use std::path::{Component, Path, PathBuf};

use tiny_http::{Method, Request};

use crate::step::Failure;

/// A folder served below a path.
pub struct Server {
    listener: tiny_http::Server,
    folder: PathBuf,
    /// URL path of the folder; begins and ends with a slash.
    mount: &'static str,
}

impl Server {
    /// Listens on a port; 0 takes a free one.
    pub fn bind(folder: PathBuf, mount: &'static str, port: u16) -> Result<Self, Failure> {
        let listener = tiny_http::Server::http((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
            Failure::new(format!("cannot listen: {error}"), "choose another port, or check the network of this machine")
        })?;
        Ok(Self { listener, folder, mount })
    }

    /// Returns the URL of the page.
    pub fn address(&self) -> String {
        let port = self.listener.server_addr().to_ip().map_or(0, |address| address.port());
        format!("http://127.0.0.1:{port}{}", self.mount)
    }

    /// Serves until the process ends.
    pub fn run(self) {
        std::thread::scope(|scope| {
            for request in self.listener.incoming_requests() {
                // A thread per request, because a page that compiles while it downloads reads slowly. Connections
                // closed by the browser are ignored.
                scope.spawn(|| self.answer(request).ok());
            }
        });
    }

    fn answer(&self, request: Request) -> std::io::Result<()> {
        let path = request.url().split(['?', '#']).next().unwrap_or_default();
        let file = || self.file(path).and_then(|path| Some((std::fs::read(&path).ok()?, media_type(&path))));
        let (status, (body, media_type)) = match (request.method(), file()) {
            (Method::Get | Method::Head, Some(file)) => ("200 OK", file),
            (Method::Get | Method::Head, None) => ("404 Not Found", (b"not found".to_vec(), TEXT)),
            _ => ("405 Method Not Allowed", (b"only GET and HEAD".to_vec(), TEXT)),
        };
        let has_body = *request.method() != Method::Head;
        let mut out = request.into_writer();
        // Written here with `Connection: close`, because the library keeps every connection alive in a thread of its
        // own, and a new connection may then wait until another one ends.
        let length = body.len();
        write!(
            out,
            "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\n\
             X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        )?;
        out.write_all(if has_body { &body } else { &[] })?;
        out.flush()
    }

    /// Returns the file for a request path, if it is inside the folder.
    fn file(&self, path: &str) -> Option<PathBuf> {
        let inside = path.strip_prefix(self.mount)?;
        let name = Path::new(if inside.is_empty() { "index.html" } else { inside });
        let plain = name.components().all(|part| matches!(part, Component::Normal(_)));
        plain.then(|| self.folder.join(name))
    }
}

const TEXT: &str = "text/plain; charset=utf-8";

fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" => "application/json",
        _ => TEXT,
    }
}

#[cfg(test)]
mod tests {
    use super::Server;

    #[test]
    fn only_files_inside_the_folder_are_found() {
        let server = Server::bind("site".into(), "/sub/", 0).expect("some port is free");
        let found = |path: &str| server.file(path).map(|path| path.display().to_string());
        assert_eq!(found("/sub/").as_deref(), Some("site/index.html"));
        assert_eq!(found("/sub/assets/a.js").as_deref(), Some("site/assets/a.js"));
        assert_eq!(found("/assets/a.js"), None);
        assert_eq!(found("/sub/../secret"), None);
        assert_eq!(found("/sub//etc/passwd"), None);
    }
}
