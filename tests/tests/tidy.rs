//! Checks on the source code: layers, sizes, headings, words, dependencies. Text only, without a compiler; each failure
//! tells what to do.

mod cycles;
mod folders;
mod paths;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use paths::{code_text, expand, used_paths};

/// Module groups of the engine, left to right: a module uses its own group and those to its left.
const CORE_LAYERS: &[&[&str]] = &[
    &["units", "time", "id"],
    &["kit"],
    &["cluster"],
    &["trace"],
    &["format"],
    &["policy"],
    &["scenario"],
    &["import", "link", "translate"],
    &["sim"],
    &["moment"],
    &["export"],
    &["words"],
    &["suggestions", "lesson"],
];

/// The same for the page.
const WEB_LAYERS: &[&[&str]] = &[
    &["engine"],
    &["state"],
    &["address", "agreement", "checked", "keys", "lessons", "library", "storage", "tabs"],
    &["input_normalisation", "linked"],
    &["chart"],
    &["words"],
    &["startup"],
    &["store", "effects", "clipboard", "downloads", "drafts", "drop"],
    &["widgets"],
    &["views"],
    &["dialogs", "setup"],
    &["shell"],
    &["focus", "page", "worker"],
    &["first_frame", "design", "fixtures", "texts"],
];

/// Allowed dependencies per package; the workspace manifest has the reasons.
const DEPENDENCIES: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "serde",
            "serde_json",
            "saphyr-parser",
            "miniz_oxide",
            "smallvec",
            "base64",
            "imara-diff",
            "num-bigint",
            "num-rational",
            "num-traits",
            "rawzip",
            "postcard",
            "proptest",
            "expect-test",
            "criterion",
        ],
    ),
    ("cli", &["fairground", "serde", "serde_json", "clap"]),
    (
        "web",
        &[
            "fairground",
            "serde",
            "serde_json",
            "leptos",
            "wasm-bindgen",
            "wasm-bindgen-futures",
            "js-sys",
            "web-sys",
            "plotters",
            "plotters-backend",
            "postcard",
            "fairground-tests",
            "expect-test",
            "proptest",
        ],
    ),
    ("tests", &["flate2", "fairground", "serde", "serde_json", "clap", "proptest", "expect-test"]),
    ("xtask", &["base64", "brotli", "pulldown-cmark", "sha2", "tiny_http", "wasm-bindgen-cli-support"]),
];

/// Policies that are dialects of another policy's engine and therefore use it.
const DIALECTS: &[(&str, &str)] = &[("runai", "kai"), ("maxmin", "filling"), ("drf", "filling")];

/// Registry of policies.
const POLICY_REGISTRY: &str = "core/src/policy/registry.rs";

/// Files outside the policies' folders that name a policy, with the reasons.
const NAMES_A_POLICY: &[(&str, &str)] = &[
    ("core/src/import/ego_plan.rs", "reads a file of that product"),
    ("core/src/import/kubernetes/applications.rs", "reads labels and annotations of that product"),
    ("core/src/import/kubernetes/shards.rs", "reads what the operator of that product configures"),
    ("core/src/import/queues_yaml.rs", "reads a file of that product"),
    ("core/src/import/runai.rs", "reads a file of that product"),
    ("core/src/import/runai_workloads.rs", "reads answers of that product"),
    ("core/src/import/yunikorn_rest.rs", "reads answers of that product"),
    ("cli/src/simulators/mod.rs", "takes the place of the product's own simulators"),
];

const FILE_LINES: usize = 600;
const FUNCTION_LINES: usize = 70;

/// Introduces the reason for a long file (in its `//!` comment) or a long function (in its `///` comment).
const REASON: &str = "Long because";

/// The only file that may convert colours to text.
const COLOUR_BORDER: &str = "web/src/chart/paint.rs";

#[test]
fn modules_use_only_lower_layers() {
    let mut findings = Vec::new();
    for (package, layers) in [("core", CORE_LAYERS), ("web", WEB_LAYERS)] {
        let rank = |name: &str| layers.iter().position(|group| group.contains(&name));
        let files = rust_files(&format!("{package}/src"));
        findings.extend(layers.concat().into_iter().filter_map(|name| {
            let is_there = files.iter().any(|file| file.module().as_deref() == Some(name));
            let places = layers.concat().iter().filter(|other| **other == name).count();
            (!is_there || places > 1).then(|| format!("{name}: no module of {package}, or in two layers"))
        }));
        for file in files {
            let Some(module) = file.module() else { continue };
            let Some(own) = rank(&module) else {
                findings.push(format!("{}: module {module:?} has no place in the layers of {package}", file.name));
                continue;
            };
            for (number, line) in file.code() {
                for used in crate_modules(line).into_iter().filter(|used| rank(used) > Some(own)) {
                    findings.push(format!("{}:{number}: {module} uses {used}", file.name));
                }
            }
        }
    }
    report(findings, "move the code to the right place, or give a new module its place in tests/tests/tidy.rs");
}

#[test]
fn policies_are_independent() {
    let folders = DIALECTS.iter().flat_map(|(dialect, engine)| [dialect, engine]);
    let folders: Vec<String> = folders.map(|name| format!("core/src/policy/{name}")).collect();
    let mut findings = missing(&folders);
    for file in rust_files("core/src/policy") {
        let Some(own) = file.name.split('/').nth(3).filter(|part| !part.ends_with(".rs")) else { continue };
        for (number, line) in file.code() {
            let other = line.split("crate::policy::").skip(1).map(first_name).find(|name| {
                *name != own
                    && !DIALECTS.contains(&(own, name))
                    && root().join("core/src/policy").join(name).is_dir()
                    && !name.is_empty()
            });
            if let Some(other) = other {
                findings.push(format!("{}:{number}: {own} uses {other}", file.name));
            }
        }
    }
    report(findings, "put what both policies need into core/src/kit");
}

#[test]
fn shared_code_names_no_policy() {
    let folders: Vec<String> = policy_folders();
    assert!(folders.len() >= 7, "{folders:?}");
    let keys: Vec<String> = folders.iter().filter_map(|folder| policy_key(folder)).collect();
    assert!(keys.len() >= 7, "{keys:?}");
    let mut unused: Vec<&str> = NAMES_A_POLICY.iter().map(|(file, _)| *file).collect();
    let mut findings = Vec::new();
    for file in ["core/src", "web/src", "cli/src"].into_iter().flat_map(rust_files) {
        let mut below = file.name.strip_prefix("core/src/policy/").unwrap_or_default().split('/');
        let in_folder = below.next().is_some_and(|folder| folders.iter().any(|known| known == folder));
        if in_folder || file.name == POLICY_REGISTRY {
            continue;
        }
        for (number, line) in file.code_and_tests() {
            let literal = keys.iter().find(|key| line.contains(&format!("{0}{key}{0}", '"')));
            let path = line.split("policy::").skip(1).map(first_name);
            let path = path.into_iter().find(|name| folders.iter().any(|known| known == name));
            let Some(policy) = literal.map(String::as_str).or(path) else { continue };
            if NAMES_A_POLICY.iter().any(|(allowed, _)| *allowed == file.name) {
                unused.retain(|allowed| *allowed != file.name);
            } else {
                findings.push(format!("{}:{number}: names {policy}", file.name));
            }
        }
    }
    findings.extend(unused.into_iter().map(|file| format!("{file}: names no policy; it needs no exception")));
    report(findings, "ask the policy's description, or let the policy's folder do it");
}

/// Folders of the policies.
fn policy_folders() -> Vec<String> {
    let folders = fs::read_dir(root().join("core/src/policy")).expect("the policies");
    let folders = folders.flatten().filter(|entry| entry.path().is_dir());
    folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Name of a folder's policy in scenario files; `None` for code shared by several policies.
fn policy_key(folder: &str) -> Option<String> {
    let text = read(&root().join("core/src/policy").join(folder).join("describe.rs"));
    let key = text.split("key: \"").nth(1)?.split('"').next()?;
    Some(key.to_owned()).filter(|key| !key.is_empty())
}

#[test]
fn long_files_and_functions_have_a_reason() {
    let mut findings = Vec::new();
    for file in all_rust_files() {
        let lines: Vec<&str> = file.text.lines().collect();
        if lines.len() > FILE_LINES && !file.heading().contains(REASON) {
            findings.push(format!("{}: {} lines, {FILE_LINES} are allowed", file.name, lines.len()));
        }
        for (start, end) in functions(&lines) {
            let length = end - start + 1;
            let above = comment_above(&lines, start);
            let has_reason = above.contains(REASON);
            if has_reason && length <= FUNCTION_LINES {
                findings.push(format!("{}:{}: is not long", file.name, start + 1));
            }
            // Markup is one tree.
            if length > FUNCTION_LINES && !has_reason && !above.contains("#[component]") {
                let name = lines[start].trim().trim_end_matches('{').trim();
                findings.push(format!(
                    "{}:{}: {length} lines, {FUNCTION_LINES} are allowed: {name}",
                    file.name,
                    start + 1
                ));
            }
        }
    }
    report(findings, "split it, or write `Long because ...` into its first comment");
}

#[test]
fn every_file_has_a_heading() {
    let findings = all_rust_files()
        .into_iter()
        .filter(|file| !file.text.starts_with("//!") && !file.text.starts_with("#!"))
        .map(|file| file.name)
        .collect();
    report(findings, "begin the file with a `//!` comment");
}

#[test]
fn rule_files_name_their_source() {
    let mut findings = Vec::new();
    for file in rust_files("core/src/policy") {
        let parts: Vec<&str> = file.name.split('/').skip(3).collect();
        let inside_a_policy = parts.len() > 1 && !file.is_test() && !file.name.ends_with("/mod.rs");
        if inside_a_policy && !["explain", "record"].contains(&parts[1]) && !file.heading().contains("# Source") {
            findings.push(file.name);
        }
    }
    report(findings, "add the headings `# Rule`, `# Source` and `# Differs` to the `//!` comment");
}

#[test]
fn nothing_unfinished_and_no_path_of_a_machine() {
    // Concatenated, so that this file does not match.
    let folders = ["work", "tmp", "root", "home"].map(|folder| format!("/{folder}/"));
    let everywhere: Vec<String> = folders.into_iter().chain([format!("{0}resolved{0}:", '"')]).collect();
    let in_rust = ["todo", "unimplemented"].map(|word| format!("{word}!(")).into_iter();
    let in_rust: Vec<String> = in_rust.chain([format!("#[{}", "ignore")]).collect();
    let mut findings = Vec::new();
    for file in text_files(&root()) {
        let rust = file.name.ends_with(".rs");
        let engine = file.name.starts_with("core/src") && !file.is_test();
        for word in everywhere.iter().chain(in_rust.iter().filter(|_| rust)) {
            for (number, _) in file.numbered().filter(|(_, line)| line.contains(word)) {
                findings.push(format!("{}:{number}: {word}", file.name));
            }
        }
        for (number, _) in file.code().into_iter().filter(|(_, line)| engine && line.contains(".unwrap()")) {
            findings.push(format!("{}:{number}: unwrap, where expect(\"why this holds\") is asked for", file.name));
        }
    }
    report(findings, "finish it, name the path relative to the project, or install with tests/e2e/.npmrc");
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest = read(&root().join("Cargo.toml"));
    let lines: Vec<&str> = manifest.lines().collect();
    let findings = section(&manifest, "[workspace.dependencies]")
        .into_iter()
        .filter(|(number, _)| !lines[number - 2].starts_with("# "))
        .map(|(number, name)| format!("Cargo.toml:{number}: {name}"))
        .collect();
    report(findings, "write one line above it that says why it is there");
}

#[test]
fn packages_have_only_allowed_dependencies() {
    let mut findings = Vec::new();
    for (package, allowed) in DEPENDENCIES {
        let manifest = read(&root().join(package).join("Cargo.toml"));
        let mut unused = allowed.to_vec();
        let kinds = manifest.lines().filter(|line| line.ends_with("dependencies]"));
        for kind in kinds.collect::<BTreeSet<_>>() {
            for (number, name) in section(&manifest, kind) {
                unused.retain(|other| **other != name);
                if !allowed.contains(&name.as_str()) {
                    findings.push(format!("{package}/Cargo.toml:{number}: {name}"));
                }
            }
        }
        findings.extend(unused.into_iter().map(|name| format!("{package}: does not use {name}")));
        for (i, line) in manifest.lines().enumerate().filter(|(_, line)| line.contains("version = \"")) {
            findings.push(format!("{package}/Cargo.toml:{}: {line}", i + 1));
        }
    }
    report(findings, "do without it, or agree on it: workspace manifest (version, reason) and tests/tests/tidy.rs");
}

#[test]
fn colours_are_tokens() {
    let mut findings = missing(&[COLOUR_BORDER]);
    for file in rust_files("web/src").into_iter().filter(|file| file.name != COLOUR_BORDER) {
        for (number, line) in file.code() {
            let function = ["rgb(", "rgba(", "hsl(", "RGBColor("].iter().any(|word| line.contains(word));
            if function || line.split('#').skip(1).any(is_hex_colour) {
                findings.push(format!("{}:{number}: {}", file.name, line.trim()));
            }
        }
    }
    report(findings, "use a class or a token of assets/style.css");
}

#[test]
fn stored_integers_have_explicit_sizes() {
    const STORED: [&str; 3] = ["core/src/trace/", "core/src/format/schema.rs", "core/src/scenario/plan.rs"];
    let mut findings = missing(&STORED);
    let files = rust_files("core/src").into_iter();
    for file in files.filter(|file| STORED.iter().any(|stored| file.name.starts_with(stored))) {
        let mut inside = false;
        for (number, line) in file.code() {
            let declared = line.trim_start_matches("pub ");
            let starts = declared.starts_with("struct ") || declared.starts_with("enum ");
            inside = (inside || starts) && !line.starts_with('}');
            if inside && line.contains("usize") {
                findings.push(format!("{}:{number}: {}", file.name, line.trim()));
            }
            inside &= !(starts && line.ends_with(';'));
        }
    }
    report(findings, "use u32 or u64: what is stored or hashed is the same on every machine");
}

/// Fails with all findings at once and the advice.
fn report(findings: Vec<String>, advice: &str) {
    assert!(findings.is_empty(), "\n{}\nWhat to do: {advice}\n", findings.join("\n"));
}

/// Findings for watched files and folders that do not exist: a check without its subject proves nothing.
fn missing(watched: &[impl AsRef<str>]) -> Vec<String> {
    let gone = watched.iter().map(AsRef::as_ref).filter(|path| !root().join(path).exists());
    gone.map(|path| format!("{path}: is checked, but not there")).collect()
}

/// A text file, named relative to the top folder.
struct File {
    name: String,
    text: String,
}

impl File {
    /// Top-level module of the file; `None` for `lib.rs` and `main.rs`.
    fn module(&self) -> Option<String> {
        let name = self.name.split('/').nth(2)?.trim_end_matches(".rs");
        (!["lib", "main"].contains(&name)).then(|| name.to_owned())
    }

    /// Module path below the crate; empty for `lib.rs`.
    fn path(&self) -> Vec<String> {
        let path = self.name.split("/src/").nth(1).unwrap_or_default().trim_end_matches(".rs");
        let parts = path.split('/').filter(|part| !["lib", "main", "mod"].contains(part));
        parts.map(str::to_owned).collect()
    }

    fn is_test(&self) -> bool {
        self.name.ends_with("/tests.rs") || self.name.ends_with("_tests.rs") || self.name.contains("/tests/")
    }

    /// The `//!` comment at its beginning.
    fn heading(&self) -> String {
        self.text.lines().take_while(|line| line.starts_with("//!")).collect::<Vec<_>>().join("\n")
    }

    fn numbered(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(i, line)| (i + 1, line))
    }

    /// Numbered lines without comments and tests; a test module is at the end of its file.
    fn code(&self) -> Vec<(usize, &str)> {
        let lines = self.code_and_tests().filter(|_| !self.is_test());
        lines.take_while(|(_, line)| !line.starts_with("#[cfg(test)]")).collect()
    }

    /// Numbered lines without comments.
    fn code_and_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        self.numbered().filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn all_rust_files() -> Vec<File> {
    ["core", "cli", "web", "tests", "xtask"].into_iter().flat_map(rust_files).collect()
}

fn rust_files(folder: &str) -> Vec<File> {
    text_files(&root().join(folder)).into_iter().filter(|file| file.name.ends_with(".rs")).collect()
}

/// Source files and documents below `folder`, in order, without generated files and recordings.
fn text_files(folder: &Path) -> Vec<File> {
    const SKIPPED: [&str; 5] = ["target", "dist", "node_modules", ".git", "results"];
    const KINDS: [&str; 11] = ["rs", "toml", "md", "js", "json", "html", "css", "svg", "yaml", "yml", "npmrc"];
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !SKIPPED.contains(&name) && !path.ends_with("tests/golden") {
                found.extend(text_files(&path));
            }
        } else if name.rsplit('.').next().is_some_and(|kind| KINDS.contains(&kind)) {
            let name = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().into_owned();
            found.push(File { name, text: read(&path) });
        }
    }
    found
}

/// Top-level modules in `crate::...` paths of a line, `crate::{a, b::{c}}` included.
fn crate_modules(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for rest in line.split("crate::").skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            names.push(first_name(rest));
            continue;
        };
        let mut depth = 0;
        for part in group.split_inclusive([',', '{', '}']) {
            let name = first_name(part.trim());
            if depth == 0 && !name.is_empty() {
                names.push(name);
            }
            depth += i32::from(part.ends_with('{')) - i32::from(part.ends_with('}'));
            if depth < 0 {
                break;
            }
        }
    }
    names
}

/// Identifier at the start of a text.
fn first_name(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// First and last line (from 0) of every function, by rustfmt's indentation.
fn functions(lines: &[&str]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        let mut words = trimmed.split_whitespace();
        let is_function = words
            .find(|word| !word.starts_with("pub") && !["const", "async", "in"].contains(word))
            .is_some_and(|word| word == "fn");
        if !is_function || trimmed.ends_with('}') || trimmed.ends_with(';') {
            continue;
        }
        let indent = &line[..line.len() - trimmed.len()];
        let at_indent = |line: &str| line.strip_prefix(indent).is_some_and(|rest| !rest.starts_with(' '));
        let end = lines[start + 1..]
            .iter()
            .position(|line| at_indent(line) && (line.trim() == "}" || line.ends_with(';')) && !line.is_empty());
        found.extend(end.map(|length| (start, start + 1 + length)));
    }
    found
}

/// Comments and attributes directly above a line.
fn comment_above(lines: &[&str], at: usize) -> String {
    let above = lines[..at].iter().rev();
    above.take_while(|line| line.trim().starts_with(['/', '#'])).copied().collect::<Vec<_>>().join("\n")
}

/// Numbered keys of one section of a manifest, without those inside multi-line values.
fn section(manifest: &str, heading: &str) -> Vec<(usize, String)> {
    let numbered = manifest.lines().enumerate().map(|(i, line)| (i + 1, line));
    numbered
        .skip_while(|(_, line)| *line != heading)
        .skip(1)
        .take_while(|(_, line)| !line.starts_with('['))
        .filter(|(_, line)| line.starts_with(char::is_alphanumeric) && line.contains('='))
        .map(|(number, line)| (number, line.split([' ', '=', '.']).next().unwrap_or_default().to_owned()))
        .collect()
}

/// Whether the text after `#` is a hexadecimal colour (three digits need a decimal one: `#add` is a name).
fn is_hex_colour(rest: &str) -> bool {
    let name = first_name(rest);
    let hex = name.chars().all(|c| c.is_ascii_hexdigit());
    hex && (matches!(name.len(), 6 | 8) || name.len() == 3 && name.contains(|c: char| c.is_ascii_digit()))
}

#[test]
fn the_checks_detect_violations() {
    assert_eq!(crate_modules("use crate::{id::{A, B}, time, sim::C};"), ["id", "time", "sim"]);
    assert_eq!(crate_modules("let x = crate::kit::f(crate::sim::g());"), ["kit", "sim"]);
    let mut paths = Vec::new();
    expand("use super::{a::{self, B}, c};\nlet d = super::super::e(f);", "super::", &["x".to_owned()], &mut paths);
    let joined: Vec<String> = paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(joined, ["x::a", "x::a", "x::a::B", "x::c", "", "e"]);
    assert!(is_hex_colour("12ab9f;") && is_hex_colour("0af\"") && !is_hex_colour("add") && !is_hex_colour("app"));
    let lines = ["    fn a(", "        b: u8,", "    ) {", "        c();", "    }", "    fn d();", "fn e() {", "}"];
    assert_eq!(functions(&lines), [(0, 4), (6, 7)]);
    let manifest = "[dependencies]\na.workspace = true\nb = { features = [\n    \"x = y\",\n] }\n\n[lints]\nc = 1\n";
    assert_eq!(section(manifest, "[dependencies]"), [(2, "a".to_owned()), (3, "b".to_owned())]);
}
