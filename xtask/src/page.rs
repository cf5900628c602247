//! Builds the page: a folder of static files that any web host can serve from any path.
//!
//! cargo makes the WASM, wasm-bindgen its JavaScript half, wasm-opt (release only) shrinks it; `index.html`
//! and `assets/` are copied beside them. The page and its worker share one WASM file; a second one, the engine
//! with all policies and importers, is fetched by a worker once something needs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::root;
use crate::step::{Failure, cargo, output, run, step};
use crate::tools;

/// The most the start page may transfer, in bytes after brotli: above 1.6 MB a first visit takes more than a second and a half on
/// 10 Mbit/s. The table that is printed shows what grew.
const START_PAGE_LIMIT: u64 = 1_600_000;

/// What the start page loads beyond the files that `index.html` names.
const ALSO_LOADED: [&str; 1] = ["assets/__wasm_split.js"];

/// Stands in `index.html` where the version goes.
const VERSION_MARK: &str = "?v=0";

/// Stands in `index.html` where the first frame goes.
const FIRST_FRAME_MARK: &str = "<!-- first frame -->";

#[derive(Clone, Copy, PartialEq)]
enum Profile {
    Dev,
    Release,
}

/// A WASM file with its JavaScript half.
#[derive(Clone, Copy)]
struct Module {
    /// The program in `fairground-web`.
    program: &'static str,
    /// What its files are called.
    name: &'static str,
    features: &'static str,
    /// Whether parts of it are fetched when they are first needed.
    in_chunks: bool,
    /// Built for speed, not for size.
    is_fast: bool,
}

const MODULES: [Module; 2] = [
    Module {
        program: "fairground-web",
        name: "fairground",
        features: "page",
        in_chunks: true,
        is_fast: false,
    },
    Module {
        program: "fairground-engine",
        name: "engine",
        features: "whole",
        in_chunks: false,
        is_fast: true,
    },
];

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Profile::Dev => "debug",
            Profile::Release => "wasm-release",
        }
    }
}

/// Builds the optimised page into `dist/`, prints its sizes, and fails if the start page is too large.
pub fn dist() -> Result<PathBuf, Failure> {
    let dist = root().join("dist");
    let generated = generate(Profile::Release)?;
    step("Write dist/", || {
        assemble(&generated, &dist, true)?;
        check_sizes(&dist)
    })?;
    Ok(dist)
}

/// Builds the page quickly, for work on it.
pub fn dev() -> Result<PathBuf, Failure> {
    let folder = root().join("target/page/site");
    let generated = generate(Profile::Dev)?;
    assemble(&generated, &folder, false)?;
    Ok(folder)
}

/// Both modules, in a folder of the profile's own.
fn generate(profile: Profile) -> Result<PathBuf, Failure> {
    let folder = root().join("target/page").join(profile.name());
    for module in MODULES {
        generate_module(profile, module, &folder.join(module.name))?;
    }
    Ok(folder)
}

/// WASM and its JavaScript half; skipped where the WASM did not change.
fn generate_module(profile: Profile, module: Module, folder: &Path) -> Result<(), Failure> {
    let Module { program, name, .. } = module;
    let target = tools::wasm_target()?;
    let wasm_bindgen = tools::wasm_bindgen()?;
    step(&format!("Build {name} ({})", profile.name()), || {
        run(&mut compile(profile, module, target), COMPILE)
    })?;
    let compiled = root().join("target").join(target).join(profile.name()).join(format!("{program}.wasm"));
    let stamp = folder.join("made-from");
    let made_from = format!(
        "{:016x} {} {}",
        hash(&[read(&compiled)?]),
        wasm_bindgen.display(),
        bindgen_options(module).join(" ")
    );
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == made_from) {
        return Ok(());
    }
    clear(folder)?;
    let whole = if module.in_chunks { cut(&compiled, name, folder)? } else { compiled };
    let mut bindgen = Command::new(wasm_bindgen);
    bindgen.args(bindgen_options(module)).args(["--out-name", name, "--out-dir"]);
    step("Write the JavaScript half", || {
        run(bindgen.arg(folder).arg(&whole), "remove target/tools and try again")
    })?;
    if module.in_chunks {
        std::fs::remove_file(&whole).map_err(|error| Failure::file(&whole, error))?;
    } else if String::from_utf8_lossy(&read(&folder.join(format!("{name}.js")))?).contains("__wasm_split") {
        return Err(Failure::new(
            format!("{name} waits for a chunk, but is not cut into chunks"),
            "mark functions with wasm_split only where the feature page is on",
        ));
    }
    if profile == Profile::Release {
        step("Shrink the WASM", || {
            files_below(folder)?.iter().filter(|path| is_wasm(path)).try_for_each(|path| shrink(path))
        })?;
    }
    write(&stamp, made_from.as_bytes())
}

fn bindgen_options(module: Module) -> Vec<&'static str> {
    let mut options = vec!["--target", "web", "--no-typescript"];
    // Chunks call through the table of functions, which the linker exports.
    options.extend(module.in_chunks.then_some("--keep-lld-exports"));
    options
}

/// Cuts what is marked with `wasm_split` out of a module; gives what is left, for wasm-bindgen.
fn cut(compiled: &Path, name: &str, folder: &Path) -> Result<PathBuf, Failure> {
    let mut split = Command::new(tools::wasm_split()?);
    split.args(["--out-name", name]).arg(compiled).arg(folder);
    step("Cut the WASM into chunks", || run(&mut split, "remove target/tools and try again"))?;
    Ok(folder.join(format!("{name}.wasm")))
}

fn shrink(wasm: &Path) -> Result<(), Failure> {
    let mut optimise = Command::new(tools::node_packages()?.join("node_modules/.bin/wasm-opt"));
    // For size after compression, which `-Oz` is not best at. The stack stands below all data, so an access below 1 KiB
    // would be an overflow of the stack.
    optimise.args(["-Os", "--low-memory-unused", "--strip-debug"]).arg(wasm).arg("-o").arg(wasm);
    // It knows no names of data, and warns of them.
    optimise.stderr(std::process::Stdio::null());
    run(&mut optimise, "remove tests/e2e/node_modules and try again")
}

fn is_wasm(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "wasm")
}

const COMPILE: &str = "read the compiler's messages above";

fn compile(profile: Profile, module: Module, target: &str) -> Command {
    let mut command = cargo();
    command.args(["rustc", "--quiet", "-p", "fairground-web", "--bin", module.program, "--target", target]);
    command.args(["--no-default-features", "--features", module.features]);
    if profile == Profile::Release {
        command.args(["--profile", profile.name()]);
        if module.is_fast {
            for package in ["fairground", "fairground-web"] {
                command
                    .args(["--config", &format!("profile.{}.package.{package}.opt-level=3", profile.name())]);
            }
        }
        // Panic messages name source files; those of dependencies would name the builder's own folders.
        if let Some(home) = cargo_home() {
            let flags = format!(
                "--remap-path-prefix={}= --remap-path-prefix={}=",
                home.join("registry/src").display(),
                root().display()
            );
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags);
        }
    }
    if module.in_chunks {
        // What belongs to a chunk is found by the linker's relocations.
        command.args(["--", "-Clink-args=--emit-relocs"]);
    }
    command
}

fn cargo_home() -> Option<PathBuf> {
    let set = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    set.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")))
}

/// Puts the site together in `folder`: `index.html`, and everything else in `assets/`; with `offline`, a service worker
/// that keeps all of it on the visitor's device.
fn assemble(generated: &Path, folder: &Path, offline: bool) -> Result<(), Failure> {
    clear(folder)?;
    copy_all(&root().join("assets"), &folder.join("assets"))?;
    for Module { name, .. } in MODULES {
        for path in files_below(&generated.join(name))? {
            let file = path.file_name().unwrap_or_default();
            if file != "made-from" {
                copy(&path, &folder.join("assets").join(file))?;
            }
        }
    }
    let first = read(&root().join("web/first-frame.html"))?;
    copy(&root().join("index.html"), &folder.join("index.html"))?;
    replace_in(&folder.join("index.html"), &[(FIRST_FRAME_MARK, &String::from_utf8_lossy(&first))])?;
    // Beside the page, because it serves only what lies beside or below it.
    let worker = folder.join("offline.js");
    std::fs::rename(folder.join("assets/offline.js"), &worker)
        .map_err(|error| Failure::file(&worker, error))?;
    if offline {
        let boot = folder.join("assets/boot.js");
        replace_in(&boot, &[("const OFFLINE = null;", "const OFFLINE = \"../offline.js\";")])?;
        let version = stamp_version(folder)?;
        list_files(folder, &version, &worker)
    } else {
        std::fs::remove_file(&worker).map_err(|error| Failure::file(&worker, error))?;
        stamp_version(folder).map(|_| ())
    }
}

/// What a browser asks for; the other files lie there to be read.
const SERVED: [&str; 4] = ["js", "css", "wasm", "svg"];

/// Writes into the service worker what it keeps: every file as it is asked for, with its hash.
fn list_files(folder: &Path, version: &str, worker: &Path) -> Result<(), Failure> {
    let is_served = |path: &PathBuf| {
        path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| SERVED.contains(&ending))
    };
    let inside = |path: PathBuf| path.strip_prefix(folder).ok().map(|path| path.display().to_string());
    let paths = files_below(&folder.join("assets"))?.into_iter().filter(is_served).filter_map(inside);
    let paths: Vec<String> = paths.collect();
    let script = "const { createHash } = require('crypto'), { readFileSync } = require('fs');
        for (const path of process.argv.slice(1)) {
          console.log('sha256-' + createHash('sha256').update(readFileSync(path)).digest('base64'));
        }";
    let mut node = Command::new("node");
    node.args(["-e", script]).args(&paths).current_dir(folder);
    let hashes = output(&mut node)
        .ok_or_else(|| Failure::new("the files could not be hashed", "check that node can be started"))?;
    let lines = paths
        .iter()
        .zip(hashes.lines())
        .map(|(path, hash)| format!("\n  [\"{path}{version}\", \"{hash}\"],"))
        .collect::<String>();
    let name = format!("const VERSION = \"{}\";", version.trim_start_matches("?v="));
    replace_in(
        worker,
        &[("const VERSION = \"\";", &name), ("const FILES = [];", &format!("const FILES = [{lines}\n];"))],
    )
}

/// Names one version, a hash of all files, wherever one file asks for another, so that caches never mix two;
/// gives it as it stands behind their names.
fn stamp_version(folder: &Path) -> Result<String, Failure> {
    let contents = files_below(folder)?.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let version = format!("?v={:016x}", hash(&contents));
    replace_in(&folder.join("index.html"), &[(VERSION_MARK, &version)])?;
    // The two generated scripts name each other and the chunks without a version; a module that is asked for by two
    // names would be there twice.
    let ending = format!(".js{version}\"");
    replace_in(
        &folder.join("assets/fairground.js"),
        &[("from \"./__wasm_split.js\"", &format!("from \"./__wasm_split{ending}"))],
    )?;
    replace_in(
        &folder.join("assets/__wasm_split.js"),
        &[("./fairground.js\"", &format!("./fairground{ending}")), (".wasm\"", &format!(".wasm{version}\""))],
    )?;
    Ok(version)
}

fn replace_in(path: &Path, pairs: &[(&str, &str)]) -> Result<(), Failure> {
    let mut text = String::from_utf8_lossy(&read(path)?).into_owned();
    for (from, to) in pairs {
        text = text.replace(from, to);
    }
    write(path, text.as_bytes())
}

/// Prints what the start page loads, raw and after brotli.
fn check_sizes(folder: &Path) -> Result<(), Failure> {
    let names = start_page_files(folder)?;
    let script = "const fs = require('fs'), zlib = require('zlib');
        const options = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 9 } };
        for (const path of process.argv.slice(1)) {
          const raw = fs.readFileSync(path);
          console.log(raw.length, zlib.brotliCompressSync(raw, options).length);
        }";
    let mut node = Command::new("node");
    node.args(["-e", script]).args(&names).current_dir(folder);
    let printed = output(&mut node).ok_or_else(|| {
        Failure::new(
            "the sizes could not be measured",
            "check that every file index.html names is in assets/",
        )
    })?;
    println!("   {:<34}{:>12}{:>12}", "start page", "bytes", "brotli");
    let mut total = (0, 0);
    for (name, line) in names.iter().zip(printed.lines()) {
        let mut numbers = line.split(' ').map(|text| text.parse::<u64>().unwrap_or(0));
        let (raw, packed) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        println!("   {name:<34}{raw:>12}{packed:>12}");
        total = (total.0 + raw, total.1 + packed);
    }
    println!("   {:<34}{:>12}{:>12}", "total", total.0, total.1);
    if total.1 > START_PAGE_LIMIT {
        return Err(Failure::new(
            format!("the start page has {} bytes, {START_PAGE_LIMIT} are allowed", total.1),
            "find what grew with the table above, or raise START_PAGE_LIMIT in xtask on purpose",
        ));
    }
    Ok(())
}

/// `index.html`, the files it names by `href` or `src`, and [`ALSO_LOADED`].
fn start_page_files(folder: &Path) -> Result<Vec<String>, Failure> {
    let html = String::from_utf8_lossy(&read(&folder.join("index.html"))?).into_owned();
    let mut names = vec!["index.html".to_owned()];
    for attribute in ["href=\"", "src=\""] {
        for rest in html.split(attribute).skip(1) {
            let link = rest.split(['"', '?']).next().unwrap_or_default();
            names.push(link.to_owned());
        }
    }
    names.extend(ALSO_LOADED.map(str::to_owned));
    Ok(names)
}

/// FNV-1a over all contents: small, and enough to tell versions apart.
fn hash(contents: &[Vec<u8>]) -> u64 {
    contents.iter().flatten().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// All files below `folder`, sorted.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| Failure::file(folder, error))? {
        let path = entry.map_err(|error| Failure::file(folder, error))?.path();
        if path.is_dir() {
            found.extend(files_below(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn copy_all(from: &Path, to: &Path) -> Result<(), Failure> {
    for path in files_below(from)? {
        if let Ok(name) = path.strip_prefix(from) {
            copy(&path, &to.join(name))?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    write(to, &read(from)?)
}

pub fn clear(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
    }
    std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))
}

pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::file(path, error))
}

pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
    }
    std::fs::write(path, bytes).map_err(|error| Failure::file(path, error))
}
