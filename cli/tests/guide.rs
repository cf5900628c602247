//! Runs every sample of the guide.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fairground::{lesson, scenario};

fn pages() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide");
    let entries = fs::read_dir(folder).expect("the guide").flatten();
    let page = |path: PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        (name, fs::read_to_string(&path).expect("a text"))
    };
    let mut pages: Vec<(String, String)> = entries.map(|entry| page(entry.path())).collect();
    pages.sort();
    pages
}

/// Returns the code blocks of a language.
fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}\n");
    text.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn every_sample_scenario_can_be_run() {
    let mut n = 0;
    for (name, text) in pages() {
        // The tests of the engine read the lessons.
        for block in blocks(&text, "yaml").into_iter().filter(|block| !lesson::is_lesson(block)) {
            let read = scenario::read(block);
            assert!(read.is_clean(), "{name}: {:?}", read.diagnostics);
            let checked = scenario::check(&read.scenario.expect("a scenario"));
            assert!(checked.plan.is_some(), "{name}: {:?}", checked.diagnostics);
            n += 1;
        }
    }
    assert!(n >= 6, "{n}");
}

#[test]
fn every_sample_command_ends_well() {
    let folder = std::env::temp_dir().join(format!("fairground-guide-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let program = Path::new(env!("CARGO_BIN_EXE_fairground")).parent().expect("a folder").to_path_buf();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut n = 0;
    for (name, text) in pages() {
        let scenario = blocks(&text, "yaml").first().copied().unwrap_or_default().to_string();
        for line in blocks(&text, "sh").iter().flat_map(|block| block.lines()) {
            fs::write(folder.join("scenario.yaml"), &scenario).expect("a file");
            let mut shell = Command::new("sh");
            shell.args(["-c", line]).current_dir(&folder).env("PATH", format!("{}:{path}", program.display()));
            let output = shell.output().expect("a shell");
            assert!(output.status.success(), "{name}: {line}: {}", String::from_utf8_lossy(&output.stderr));
            n += 1;
        }
    }
    fs::remove_dir_all(&folder).expect("it was there");
    assert!(n >= 10, "{n}");
}

#[test]
fn links_between_pages_lead_somewhere() {
    let pages = pages();
    for (name, text) in &pages {
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let page = target.replace(".html", ".md");
            let is_file = page.starts_with("../spec/") || page == "../lesson.schema.json";
            let is_there = is_file || pages.iter().any(|(name, _)| *name == page);
            assert!(is_there, "{name}: {target}");
        }
    }
}
