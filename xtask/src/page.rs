//! Builds the page: a folder of static files that any web host can serve from any path.
//!
//! The program is compiled by cargo, bound to JavaScript by wasm-bindgen and optimised by wasm-opt. The files that
//! `index.html` names are published under names with a hash of their content, so that browsers may cache them for ever.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use brotli::enc::BrotliEncoderParams;
use sha2::{Digest, Sha256, Sha384};
use wasm_bindgen_cli_support::Bindgen;

use crate::documents;
use crate::files::{clear, files_below, read, write};
use crate::root;
use crate::server::Server;
use crate::step::{Failure, cargo, output, run, step};
use crate::tools;

/// Maximum transfer of the start page, in bytes after brotli: about a second and a half at 10 Mbit/s for a first visit.
/// The printed table shows what grew. A tenth are instances of the standard library's sorts, one per type; another sort
/// only for the sake of the download is not worth it. Another tenth reads and writes files of other products; a
/// separate program for them would save an eighth of a second once, but take minutes to build and optimise.
///
/// The packed size varies without a change of the code: by 4 kB between two commits that differ in comments only, through
/// the line numbers and the revision in the program.
const START_PAGE_LIMIT: usize = 1_875_000;

/// Placeholder for the first frame in `index.html`.
const FIRST_FRAME_MARK: &str = "<!-- first frame -->";

/// Placeholder for the name of the service worker in `index.html`.
const OFFLINE_MARK: &str = "<!-- offline -->";

/// The bundled editor of the scenario as text, below the folder of the page.
const EDITOR: &str = "editor/editor.js";

/// Name of the program's two files, as `index.html` refers to them.
const PROGRAM: &str = "fairground-web";

#[derive(Clone, Copy, PartialEq)]
enum Build {
    /// Compiled in seconds; without first frame and service worker.
    Development,
    /// Optimised for size.
    Release,
}

/// Builds the optimised page into `dist/`.
pub fn dist() -> Result<PathBuf, Failure> {
    let dist = root().join("dist");
    step("Build the page", || build(Build::Release, &dist))?;
    Ok(dist)
}

/// Builds the page, serves it on this machine, and builds it again whenever a file has changed.
pub fn serve(is_release: bool, port: Option<u16>) -> Result<(), Failure> {
    let build_kind = if is_release { Build::Release } else { Build::Development };
    let folder = root().join("target/page");
    step("Build the page", || build(build_kind, &folder))?;
    let server = Server::bind(folder.clone(), "/", port.unwrap_or(8080))?;
    println!("{}", server.address());
    std::thread::spawn(move || server.run());
    let mut built = last_change()?;
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let changed = last_change()?;
        if changed > built {
            built = changed;
            if let Err(failure) = step("Build the page", || build(build_kind, &folder)) {
                eprintln!("{failure}");
            }
        }
    }
}

/// Returns when a file of the page or of its program was last written.
fn last_change() -> Result<Option<SystemTime>, Failure> {
    let mut files = vec![root().join("index.html")];
    for folder in ["assets", "core/src", "web/src"] {
        files.extend(files_below(&root().join(folder))?);
    }
    Ok(files.iter().filter_map(|path| path.metadata().ok()?.modified().ok()).max())
}

/// Builds the page into a folder, which is emptied once the program is compiled.
fn build(kind: Build, folder: &Path) -> Result<(), Failure> {
    tools::node_packages()?;
    let program = program(kind)?;
    clear(folder)?;
    let mut page = publish(kind, &program, folder)?;
    documents::write_lessons(folder)?;
    documents::write_notes(folder)?;
    write_editor(folder)?;
    if kind == Build::Release {
        let offline = "<meta name=\"offline-worker\" content=\"offline.js\" />";
        page = page.replace(FIRST_FRAME_MARK, &first_frame()?).replace(OFFLINE_MARK, offline);
    }
    write(&folder.join("index.html"), page.as_bytes())?;
    if kind == Build::Release {
        write_offline_worker(folder)?;
    }
    // Last, because the service worker does not cache them.
    documents::write_all(folder)
}

/// Compiles the program. Returns the folder with its script and its WebAssembly.
fn program(kind: Build) -> Result<PathBuf, Failure> {
    let compiled = compile(kind)?;
    let folder = root().join("target/wasm-bindgen");
    clear(&folder)?;
    bind(kind, &compiled, &folder).map_err(|error| {
        Failure::new(format!("wasm-bindgen: {error:#}"), "give it the version of the crate wasm-bindgen")
    })?;
    if kind == Build::Release {
        let wasm = folder.join(format!("{PROGRAM}_bg.wasm"));
        let mut optimise = tools::node_program("wasm-opt")?;
        optimise.args(["-Os", "--low-memory-unused", "--reorder-functions-by-name", "--strip-debug"]);
        run(optimise.arg(&wasm).arg("-o").arg(&wasm), MESSAGES)?;
    }
    Ok(folder)
}

/// Writes the script by which a browser runs the compiled program.
fn bind(kind: Build, compiled: &Path, folder: &Path) -> Result<(), impl std::fmt::Display> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(compiled).web(true)?.typescript(false).debug(kind == Build::Development).generate(folder)
}

/// Compiles the program to WebAssembly. Returns the path of the file.
fn compile(kind: Build) -> Result<PathBuf, Failure> {
    let target = tools::wasm_target()?;
    let mut compile = cargo();
    compile.args(["build", "--quiet", "--package", PROGRAM, "--target", target]);
    let profile = if kind == Build::Release {
        compile.args(["--profile", "wasm-release"]);
        // Panic messages contain paths of source files; those of dependencies would reveal the builder's folders. The
        // variable replaces the flags of `.cargo/config.toml`, so these are repeated.
        if let Some(home) = cargo_home() {
            let flags = format!(
                "--cfg erase_components --remap-path-prefix={}= --remap-path-prefix={}=",
                home.join("registry/src").display(),
                root().display()
            );
            compile.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags);
        }
        "wasm-release"
    } else {
        "debug"
    };
    // Shown in *About*.
    let revision = output(Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).current_dir(root()));
    compile.envs(revision.map(|revision| ("FAIRGROUND_REVISION", revision)));
    run(&mut compile, MESSAGES)?;
    Ok(root().join(format!("target/{target}/{profile}/{PROGRAM}.wasm")))
}

const MESSAGES: &str = "read the messages above";

fn cargo_home() -> Option<PathBuf> {
    let set = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    set.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")))
}

/// Writes the files that `index.html` refers to under names with a hash of their content. Returns the text of the page
/// with these names and the hashes that the browser checks.
fn publish(kind: Build, program: &Path, folder: &Path) -> Result<String, Failure> {
    let assets = root().join("assets");
    let files = [
        assets.join("favicon.svg"),
        assets.join("style.css"),
        assets.join("boot.js"),
        program.join(format!("{PROGRAM}.js")),
        program.join(format!("{PROGRAM}_bg.wasm")),
    ];
    let mut page = String::from_utf8_lossy(&read(&root().join("index.html"))?).into_owned();
    for path in files {
        let extension = path.extension().unwrap_or_default();
        let is_minified = kind == Build::Release && (extension == "css" || extension == "js");
        let content = if is_minified { minify(&path)? } else { read(&path)? };
        let reference = format!("\"{}\"", path.file_name().unwrap_or_default().display());
        if !page.contains(&reference) {
            return Err(Failure::new(format!("index.html does not refer to {reference}"), "add the reference"));
        }
        let name = hashed_name(&path, &content);
        write(&folder.join(&name), &content)?;
        // Browsers do not check preloaded WebAssembly, and warn of a hash.
        let integrity = if extension == "wasm" {
            String::new()
        } else {
            format!(" integrity=\"sha384-{}\"", STANDARD.encode(Sha384::digest(&content)))
        };
        page = page.replace(&reference, &format!("\"./{name}\"{integrity}"));
    }
    Ok(page)
}

/// Returns the name of a published file: `style-0123456789abcdef.css`.
fn hashed_name(path: &Path, content: &[u8]) -> String {
    let [stem, extension] = [path.file_stem(), path.extension()].map(|part| part.unwrap_or_default().display());
    format!("{stem}-{}.{extension}", short_hash(content))
}

/// Returns the first 16 hexadecimal digits of a hash, sufficient to distinguish versions.
fn short_hash(content: &[u8]) -> String {
    Sha256::digest(content).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Renders the first frame of the start scenario as static markup.
fn first_frame() -> Result<String, Failure> {
    let mut render = cargo();
    // Run from the workspace, so that the features match those of the tests and the engine is not compiled again.
    render.args(["run", "--quiet", "--example", "first_frame"]);
    output(&mut render)
        .ok_or_else(|| Failure::new("the first frame could not be rendered", "run the example first_frame"))
}

/// Bundles the editor of the scenario as text, which the page loads when it is opened.
fn write_editor(folder: &Path) -> Result<(), Failure> {
    let mut bundle = tools::node_program("esbuild")?;
    bundle.arg(root().join("assets/editor/editor.js"));
    bundle.args(["--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none"]);
    bundle.arg("--log-level=warning").arg(format!("--outfile={}", folder.join(EDITOR).display()));
    // The sources are outside of the folder of the packages.
    bundle.env("NODE_PATH", tools::node_packages()?.join("node_modules"));
    run(&mut bundle, "read the messages of esbuild above")
}

/// Returns a style sheet or a script without comments and spaces.
fn minify(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut minify = tools::node_program("esbuild")?;
    minify.args(["--minify", "--target=es2022", "--legal-comments=none", "--log-level=warning"]).arg(path);
    let failure = || Failure::new(format!("{} could not be minified", path.display()), "run esbuild on it");
    output(&mut minify).map(String::into_bytes).ok_or_else(failure)
}

/// Writes the service worker with the list of cached files, all files of the page, and their hash.
fn write_offline_worker(folder: &Path) -> Result<(), Failure> {
    let files = files_below(folder)?;
    let contents = files.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let hashed = files.iter().zip(&contents).filter_map(|(path, content)| {
        let name = path.strip_prefix(folder).ok()?.display().to_string();
        let hash = STANDARD.encode(Sha256::digest(content));
        (name != "index.html").then(|| format!("\n  [\"{name}\", \"sha256-{hash}\"],"))
    });
    let lines = hashed.collect::<String>();
    let worker = String::from_utf8_lossy(&read(&root().join("assets/offline.js"))?)
        .replace("const VERSION = \"\";", &format!("const VERSION = \"{}\";", short_hash(&contents.concat())))
        .replace("const FILES = [];", &format!("const FILES = [{lines}\n];"));
    write(&folder.join("offline.js"), worker.as_bytes())
}

/// Prints the sizes of the files that the start page loads, raw and after brotli at quality 11, usual for static files.
/// Fails if the start page is too large.
pub fn check_sizes(folder: &Path) -> Result<(), Failure> {
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

#[cfg(test)]
mod tests {
    use super::packed_size;

    #[test]
    fn repeated_content_packs_well() {
        let size = packed_size(&b"queue ".repeat(10_000)).expect("no input or output fails");
        assert!((1..100).contains(&size), "{size}");
    }
}
