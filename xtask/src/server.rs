//! A static file server for the browser tests, on this machine only: loopback, GET and HEAD, one thread per request.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};

use crate::step::Failure;

/// A folder served below a path.
pub struct Server {
    listener: TcpListener,
    folder: PathBuf,
    /// Begins and ends with a slash.
    mount: &'static str,
}

impl Server {
    /// Listens on any port that is free.
    pub fn bind(folder: PathBuf, mount: &'static str) -> Result<Self, Failure> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| {
            Failure::new(format!("cannot listen: {error}"), "check the network of this machine")
        })?;
        Ok(Self { listener, folder, mount })
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        let port = self.listener.local_addr().map(|address| address.port()).unwrap_or(0);
        format!("http://127.0.0.1:{port}{}", self.mount)
    }

    /// Serves until the process ends.
    pub fn run(self) {
        std::thread::scope(|scope| {
            for stream in self.listener.incoming().flatten() {
                let server = &self;
                // A browser that hangs up in the middle is no concern of ours.
                scope.spawn(move || server.answer(stream).ok());
            }
        });
    }

    fn answer(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut lines = BufReader::new(&stream).lines();
        let request = lines.next().transpose()?.unwrap_or_default();
        for header in lines {
            if header?.is_empty() {
                break;
            }
        }
        let mut words = request.split(' ');
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if method != "GET" && method != "HEAD" {
            return respond(&stream, "405 Method Not Allowed", TEXT, b"only GET and HEAD", method);
        }
        let path = target.split(['?', '#']).next().unwrap_or_default();
        match self.file(path).and_then(|path| Some((std::fs::read(&path).ok()?, media_type(&path)))) {
            Some((bytes, media_type)) => respond(&stream, "200 OK", media_type, &bytes, method),
            None => respond(&stream, "404 Not Found", TEXT, b"not found", method),
        }
    }

    /// The file for a request path, if it lies inside the folder.
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

fn respond(
    mut stream: &TcpStream,
    status: &str,
    media_type: &str,
    body: &[u8],
    method: &str,
) -> std::io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method == "HEAD" { Ok(()) } else { stream.write_all(body) }
}

#[cfg(test)]
mod tests {
    use super::Server;

    #[test]
    fn only_files_inside_the_folder_are_found() {
        let server = Server::bind("site".into(), "/sub/").expect("some port is free");
        let found = |path: &str| server.file(path).map(|path| path.display().to_string());
        assert_eq!(found("/sub/").as_deref(), Some("site/index.html"));
        assert_eq!(found("/sub/assets/a.js").as_deref(), Some("site/assets/a.js"));
        assert_eq!(found("/assets/a.js"), None);
        assert_eq!(found("/sub/../secret"), None);
        assert_eq!(found("/sub//etc/passwd"), None);
    }
}
