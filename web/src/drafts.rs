//! Export of all drafts in one file.

use fairground::export::{File, with_schema_line, zip};

use crate::state::command::Command;
use crate::state::document;
use crate::store::Store;
use crate::{address, downloads, storage};

/// Offers all drafts as one archive of scenario files, newest first.
pub fn export_all(store: Store) {
    // Save pending changes first, so that they are included.
    store.keep();
    let lines = storage::drafts();
    let schema = address::beside("scenario.schema.json");
    let read = lines.iter().filter_map(|line| {
        let opened = storage::draft(&line.id)?.open(&line.id).ok()?;
        Some(with_schema_line(&document::to_yaml(&opened.document.scenario), &schema))
    });
    let texts: Vec<String> = read.collect();
    let n_unread = lines.len() - texts.len();
    let titles = lines.iter().map(|line| line.title.as_str());
    let Some(archive) = zip(&files(titles.zip(texts))) else { return };
    downloads::download_archive("fairground-drafts.zip", &archive);
    if n_unread > 0 {
        let text = format!("{n_unread} of {} drafts cannot be read and are not in the file.", lines.len());
        store.dispatch(Command::Notify { is_problem: true, text });
    }
}

/// Scenario files in order, with unique names.
fn files<'a>(scenarios: impl Iterator<Item = (&'a str, String)>) -> Vec<File> {
    let named = |(at, (title, text)): (usize, (&str, String))| {
        let name = format!("{:02}-{}", at + 1, downloads::file_name(title));
        File { name, text }
    };
    scenarios.enumerate().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::files;

    #[test]
    fn files_of_equal_titles_have_names_of_their_own() {
        let given = [("Two teams", "a".to_string()), ("Two teams", "b".to_string()), ("", "c".to_string())];
        let names: Vec<String> = files(given.into_iter()).into_iter().map(|file| file.name).collect();
        assert_eq!(
            names,
            ["01-two-teams.fairground.yaml", "02-two-teams.fairground.yaml", "03-scenario.fairground.yaml"]
        );
    }
}
