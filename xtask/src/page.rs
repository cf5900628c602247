//! Builds the page with trunk: a folder of static files that any web host can serve from any path.
//!
//! `Trunk.toml` and `index.html` define the build, so that a plain `trunk serve` does the same. This module installs
//! what the build needs and contains its last step ([`finish`], called by trunk), which adds the first frame as static
//! markup, the service worker, the documents and the licences.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use brotli::enc::BrotliEncoderParams;
use sha2::{Digest, Sha256};

use crate::documents;
use crate::files::{files_below, read, write};
use crate::root;
use crate::step::{Failure, cargo, output, run, set_incremental, step};
use crate::tools;

/// Maximum transfer of the start page, in bytes after brotli: about a second and a half at 10 Mbit/s for a first visit.
/// The printed table shows what grew. A tenth are instances of the standard library's sorts, one per type; another sort
/// only for the sake of the download is not worth it. Another tenth reads and writes files of other products; a
/// separate program for them would save an eighth of a second once, but take minutes to build and optimise.
const START_PAGE_LIMIT: usize = 1_865_000;

/// Placeholder for the first frame in `index.html`.
const FIRST_FRAME_MARK: &str = "<!-- first frame -->";

/// Placeholder for the name of the service worker in `index.html`.
const OFFLINE_MARK: &str = "<!-- offline -->";

/// The bundled editor of the scenario as text, below the folder of the page.
const EDITOR: &str = "editor/editor.js";

/// Builds the optimised page into `dist/`, prints its sizes, and fails if the start page is too large.
pub fn dist() -> Result<PathBuf, Failure> {
    let dist = root().join("dist");
    let mut build = trunk("build")?;
    build.args(["--release", "--dist"]).arg(&dist);
    // Panic messages contain paths of source files; those of dependencies would reveal the builder's folders. The
    // variable replaces the flags of `.cargo/config.toml`, so these are repeated.
    if let Some(home) = cargo_home() {
        let flags = format!(
            "--cfg erase_components --remap-path-prefix={}= --remap-path-prefix={}=",
            home.join("registry/src").display(),
            root().display()
        );
        build.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags);
    }
    // Shown in *About*.
    let revision = output(Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).current_dir(root()));
    build.envs(revision.map(|revision| ("FAIRGROUND_REVISION", revision)));
    step("Build the page", || run(&mut build, COMPILE))?;
    check_sizes(&dist)?;
    Ok(dist)
}

/// Builds the page for development, serves it on this machine, and rebuilds it whenever a file changes.
pub fn serve(is_release: bool, port: Option<u16>) -> Result<(), Failure> {
    let mut serve = trunk("serve")?;
    serve.arg("--dist").arg(root().join("target/page"));
    serve.args(is_release.then_some("--release"));
    serve.args(port.map(|port| format!("--port={port}")));
    run(&mut serve, COMPILE)
}

const COMPILE: &str = "read the messages above";

/// Returns a `trunk` command with the other pinned tools on its search path.
fn trunk(task: &str) -> Result<Command, Failure> {
    let target = tools::wasm_target()?;
    let mut folders = vec![tools::bin(), tools::node_packages()?.join("node_modules/.bin")];
    let program = tools::trunk_and_wasm_bindgen(|| {
        // Only if tools are missing, so that a first page does not wait for them and then compile. Trunk reports
        // errors.
        let mut compile = cargo();
        compile.args(["build", "--quiet", "--package=fairground-web", "--target", target]);
        if task == "serve" {
            output(&mut compile);
        }
    })?;
    folders.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    let path = std::env::join_paths(folders).unwrap_or_else(|_| OsString::new());
    let mut trunk = Command::new(program);
    trunk.arg(task).current_dir(root()).env("PATH", path).env_remove("NO_COLOR");
    set_incremental(&mut trunk);
    Ok(trunk)
}

fn cargo_home() -> Option<PathBuf> {
    let set = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    set.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")))
}

/// Completes a build of trunk, which calls it after each build with the folder in its environment. A development build
/// has neither a first frame nor a service worker.
pub fn finish() -> Result<(), Failure> {
    let folder = std::env::var_os("TRUNK_STAGING_DIR").map(PathBuf::from);
    let folder = folder.ok_or_else(|| Failure::new("trunk names no folder", "run `trunk build` instead"))?;
    documents::write_lessons(&folder)?;
    documents::write_notes(&folder)?;
    write_editor(&folder)?;
    if std::env::var("TRUNK_PROFILE").as_deref() != Ok("release") {
        return documents::write_all(&folder);
    }
    let mut render = cargo();
    // Run from the workspace, so that the features match those of the tests and the engine is not compiled again.
    render.args(["run", "--quiet", "--example", "first_frame"]);
    // These flags are for the WASM target.
    render.env_remove("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS");
    let markup = output(&mut render)
        .ok_or_else(|| Failure::new("the first frame could not be rendered", "run the example first_frame"))?;
    let offline = "<meta name=\"offline-worker\" content=\"offline.js\" />";
    let page = folder.join("index.html");
    replace_in(&page, &[(FIRST_FRAME_MARK, &markup), (OFFLINE_MARK, offline)])?;
    write_offline_worker(&folder)?;
    // Last, because the service worker does not cache them.
    documents::write_all(&folder)
}

/// Bundles the editor of the scenario as text, which the page loads when it is opened.
fn write_editor(folder: &Path) -> Result<(), Failure> {
    let packages = tools::node_packages()?.join("node_modules");
    let mut bundle = Command::new(packages.join(".bin/esbuild"));
    bundle.arg(root().join("assets/editor/editor.js"));
    bundle.args(["--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none"]);
    bundle.arg("--log-level=warning").arg(format!("--outfile={}", folder.join(EDITOR).display()));
    // The sources are outside of the folder of the packages.
    bundle.env("NODE_PATH", &packages);
    run(&mut bundle, "read the messages of esbuild above")
}

/// Writes the service worker with the list of cached files, all files of the page, and their hash.
fn write_offline_worker(folder: &Path) -> Result<(), Failure> {
    let files = files_below(folder)?;
    let contents = files.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let version = format!("{:016x}", hash(&contents));
    let hashed = files.iter().zip(&contents).filter_map(|(path, content)| {
        let name = path.strip_prefix(folder).ok()?.display().to_string();
        let hash = STANDARD.encode(Sha256::digest(content));
        (name != "index.html").then(|| format!("\n  [\"{name}\", \"sha256-{hash}\"],"))
    });
    let lines = hashed.collect::<String>();
    let worker = folder.join("offline.js");
    write(&worker, &read(&root().join("assets/offline.js"))?)?;
    replace_in(
        &worker,
        &[
            ("const VERSION = \"\";", &format!("const VERSION = \"{version}\";")),
            ("const FILES = [];", &format!("const FILES = [{lines}\n];")),
        ],
    )
}

fn replace_in(path: &Path, pairs: &[(&str, &str)]) -> Result<(), Failure> {
    let mut text = String::from_utf8_lossy(&read(path)?).into_owned();
    for (from, to) in pairs {
        text = text.replace(from, to);
    }
    write(path, text.as_bytes())
}

/// Prints the sizes of the files that the start page loads, raw and after brotli at quality 11, usual for static files.
fn check_sizes(folder: &Path) -> Result<(), Failure> {
    println!("   {:<34}{:>12}{:>12}", "start page", "bytes", "brotli");
    let mut total = (0, 0);
    for name in start_page_files(folder)? {
        let content = read(&folder.join(&name))?;
        let packed = packed_size(&content).map_err(|error| Failure::file(&folder.join(&name), error))?;
        println!("   {name:<34}{:>12}{packed:>12}", content.len());
        total = (total.0 + content.len(), total.1 + packed);
    }
    println!("   {:<34}{:>12}{:>12}", "total", total.0, total.1);
    let editor = read(&folder.join(EDITOR))?;
    let packed = packed_size(&editor).map_err(|error| Failure::file(&folder.join(EDITOR), error))?;
    println!("   {:<34}{:>12}{packed:>12}", "loaded when opened: the text editor", editor.len());
    if total.1 > START_PAGE_LIMIT {
        return Err(Failure::new(
            format!("the start page has {} bytes, {START_PAGE_LIMIT} are allowed", total.1),
            "find what grew with the table above, or raise START_PAGE_LIMIT in xtask on purpose",
        ));
    }
    Ok(())
}

fn packed_size(mut content: &[u8]) -> std::io::Result<usize> {
    let params = BrotliEncoderParams { quality: 11, size_hint: content.len(), ..Default::default() };
    brotli::BrotliCompress(&mut content, &mut std::io::sink(), &params)
}

/// Returns `index.html` and the files that it refers to by `href` or `src`.
fn start_page_files(folder: &Path) -> Result<Vec<String>, Failure> {
    let html = String::from_utf8_lossy(&read(&folder.join("index.html"))?).into_owned();
    let mut names = vec!["index.html".to_owned()];
    for attribute in ["href=\"", "src=\""] {
        for rest in html.split(attribute).skip(1) {
            let link = rest.split('"').next().unwrap_or_default().trim_start_matches("./");
            names.push(link.to_owned());
        }
    }
    Ok(names)
}

/// Returns the FNV-1a hash of all contents, sufficient to distinguish versions.
fn hash(contents: &[Vec<u8>]) -> u64 {
    contents
        .iter()
        .flatten()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::packed_size;

    #[test]
    fn repeated_content_packs_well() {
        let size = packed_size(&b"queue ".repeat(10_000)).expect("no input or output fails");
        assert!((1..100).contains(&size), "{size}");
    }
}
