//! Files published beside the page: the guide, the specifications as pages that rule cards link to, the JSON schema,
//! and the licences of the libraries in the page.

use std::path::{Path, PathBuf};

use pulldown_cmark::{Options, Parser, html};

use crate::files::{files_below, read, write};
use crate::licences::licences;
use crate::root;
use crate::step::Failure;

/// Writes all files into the folder of the page.
pub fn write_all(page: &Path) -> Result<(), Failure> {
    write(&page.join("licences.txt"), licences()?.as_bytes())?;
    publish(page)?;
    render(page)
}

/// Copies the lessons and the hints on the examples into a folder of the page.
pub fn write_lessons(page: &Path) -> Result<(), Failure> {
    let folder = page.join("lessons");
    let lessons = files_below(&root().join("assets/lessons"))?;
    copy(lessons.into_iter().chain([root().join("assets/examples.yaml")]), &folder)
}

/// Publishes the window of the speaker notes.
pub fn write_notes(page: &Path) -> Result<(), Failure> {
    copy(files_below(&root().join("assets/notes"))?.into_iter(), &page.join("notes"))
}

fn copy(files: impl Iterator<Item = PathBuf>, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
    for file in files {
        write(&folder.join(file.file_name().unwrap_or_default()), &read(&file)?)?;
    }
    Ok(())
}

/// Renders `docs/spec/*.md` into a folder of the page. Numbered headings and paragraphs get their number as the anchor.
fn render(page: &Path) -> Result<(), Failure> {
    let folder = page.join("spec");
    std::fs::create_dir_all(&folder).map_err(|error| Failure::file(&folder, error))?;
    write(&folder.join("spec.css"), &read(&root().join("assets/spec.css"))?)?;
    for file in files_below(&root().join("docs/spec"))? {
        let document = document(&String::from_utf8_lossy(&read(&file)?));
        let name = Path::new(file.file_name().unwrap_or_default()).with_extension("html");
        write(&folder.join(name), document.as_bytes())?;
    }
    Ok(())
}

/// Renders the guide into a folder of the page.
fn guide(page: &Path) -> Result<(), Failure> {
    let folder = page.join("guide");
    std::fs::create_dir_all(&folder).map_err(|error| Failure::file(&folder, error))?;
    write(&folder.join("spec.css"), &read(&root().join("assets/spec.css"))?)?;
    for name in GUIDE {
        let text = read(&root().join(format!("docs/guide/{name}.md")))?;
        let document = document(&String::from_utf8_lossy(&text));
        write(&folder.join(format!("{name}.html")), document.as_bytes())?;
    }
    Ok(())
}

const GUIDE: [&str; 13] = [
    "index",
    "kai",
    "runai",
    "yunikorn",
    "ego",
    "baselines",
    "lessons",
    "format",
    "runner",
    "simulators",
    "links",
    "embedding",
    "exports",
];

/// Publishes the guide, the files of the installable app, and the JSON schema.
fn publish(page: &Path) -> Result<(), Failure> {
    guide(page)?;
    for file in PUBLISHED {
        let name = file.rsplit('/').next().unwrap_or(file);
        write(&page.join(name), &read(&root().join("assets").join(file))?)?;
    }
    Ok(())
}

/// Files of `assets` published beside the page.
const PUBLISHED: [&str; 6] = [
    "app/manifest.webmanifest",
    "app/icon-192.png",
    "app/icon-512.png",
    "app/icon-maskable-512.png",
    "scenario.schema.json",
    "lesson.schema.json",
];

fn document(markdown: &str) -> String {
    let title = markdown.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']);
    let text: String = markdown.lines().map(with_anchor).collect();
    let mut body = String::new();
    html::push_html(&mut body, Parser::new_ext(&text, Options::ENABLE_TABLES));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'; img-src data:\" />\n\
         <link rel=\"icon\" href=\"data:,\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <title>{title}</title>\n<link rel=\"stylesheet\" href=\"spec.css\" />\n</head>\n\
         <body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// Adds an anchor to a line that begins a numbered section or paragraph: `## 6.3 Validator`, `0.5 Heap`.
fn with_anchor(line: &str) -> String {
    let title = line.trim_start_matches('#').trim_start();
    let end = title.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(title.len());
    let number = title[..end].trim_end_matches('.');
    let is_heading = line.starts_with('#');
    let is_paragraph = number.contains('.') && title[end..].starts_with(' ') && line.len() == title.len();
    if number.is_empty() || !(is_heading || is_paragraph) {
        return format!("{line}\n");
    }
    let marks = &line[..line.len() - title.len()];
    format!("{marks}<a id=\"{number}\"></a>{title}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_headings_and_paragraphs_are_link_targets() {
        let html =
            document("# Title\n\n## 6. Reclaim\n\n0.3 Numbers < 4.\n\n- 5.5 is a number\n\n| a |\n|---|\n| 1.5 |\n");
        assert!(html.contains("<title>Title</title>"));
        for (target, text) in [("6", "6. Reclaim"), ("0.3", "0.3 Numbers &lt; 4.")] {
            assert!(html.contains(&format!("<a id=\"{target}\"></a>{text}")), "{html}");
        }
        assert_eq!(html.matches("<a id").count(), 2, "{html}");
        assert!(html.contains("<table>"));
    }
}
