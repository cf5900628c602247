//! The edits between two scenarios that differ in values only, and their paths as one word: `queues.team-a.gpu.quota`.

use std::collections::BTreeMap;

use super::shape::{Ref, Rows, Scalar, Shape};
use super::{Edit, Path, Scenario, Segment, apply};

/// Returns the values to set so that `before` becomes `after`; `None`: they differ in more than values.
pub fn edits_between(before: &Scenario, after: &Scenario) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    compare(before, after, &Path::default(), &mut edits)?;
    // The same notation may stand for another scenario, such as a list of one item.
    apply(before, &edits).is_ok_and(|made| made == *after).then_some(edits)
}

/// The same, if each edit has a path of one word.
pub fn dotted_edits_between(before: &Scenario, after: &Scenario) -> Option<Vec<Edit>> {
    let is_dotted = |edit: &Edit| matches!(edit, Edit::Set { at, .. } if dotted(at).is_some());
    edits_between(before, after).filter(|edits| edits.iter().all(is_dotted))
}

fn compare(before: &dyn Shape, after: &dyn Shape, path: &Path, edits: &mut Vec<Edit>) -> Option<()> {
    for (i, name) in before.names().iter().enumerate() {
        let path = path.field(name);
        match (before.field(i), after.field(i)) {
            (Ref::Part(before), Ref::Part(after)) => compare(before, after, &path, edits)?,
            (Ref::Rows(before), Ref::Rows(after)) => compare_rows(before, after, &path, edits)?,
            (Ref::Settings(before), Ref::Settings(after)) => compare_settings(before, after, &path, edits),
            (Ref::Labels(before), Ref::Labels(after)) if before == after => {}
            (Ref::Texts(before), Ref::Texts(after)) if before == after => {}
            (before, after) => {
                let (before, after) = (text(&before)?, text(&after)?);
                if before != after {
                    edits.push(Edit::Set { at: path, value: after.unwrap_or_default().to_string() });
                }
            }
        }
    }
    Some(())
}

/// The text of a single value, if it is given.
fn text<'a>(field: &Ref<'a>) -> Option<Option<&'a str>> {
    match field {
        Ref::Text(text) | Ref::Plain(text) => Some(Some(text)),
        Ref::Name(text) | Ref::Value(text) => Some(*text),
        _ => None,
    }
}

/// Compares lists whose elements have the same names in the same order.
fn compare_rows(before: &dyn Rows, after: &dyn Rows, path: &Path, edits: &mut Vec<Edit>) -> Option<()> {
    if before.count() != after.count() {
        return None;
    }
    for i in 0..before.count() {
        let (before, after) = (before.row(i)?, after.row(i)?);
        let n_edits = edits.len();
        let name = name_of(after);
        compare(before, after, &path.named(name.unwrap_or_default()), edits)?;
        if name_of(before) != name || edits.len() > n_edits && name.is_none() {
            return None;
        }
    }
    Some(())
}

fn name_of(shape: &dyn Shape) -> Option<&str> {
    let i = shape.names().iter().position(|name| *name == "name")?;
    match shape.field(i) {
        Ref::Text(name) => Some(name).filter(|name| !name.is_empty()),
        _ => None,
    }
}

fn compare_settings(
    before: &BTreeMap<String, Scalar>,
    after: &BTreeMap<String, Scalar>,
    path: &Path,
    edits: &mut Vec<Edit>,
) {
    let added = after.keys().filter(|key| !before.contains_key(*key));
    for key in before.keys().chain(added) {
        if before.get(key) != after.get(key) {
            let value = after.get(key).map(|value| value.0.clone()).unwrap_or_default();
            edits.push(Edit::Set { at: path.field(key), value });
        }
    }
}

/// Fields of a scenario that are values by name; what follows them is one name.
const MAPS: [&str; 2] = ["settings", "delays"];

/// Writes a path as one word; `None` if [`undotted`] would read another path, such as that of a name with dots.
pub fn dotted(path: &Path) -> Option<String> {
    let word = |segment: &Segment| match segment {
        Segment::Field(name) | Segment::Named(name) => name.clone(),
        Segment::At(position) => position.to_string(),
    };
    let text = path.0.iter().map(word).collect::<Vec<_>>().join(".");
    (undotted(&text) == *path).then_some(text)
}

/// Reads a path such as `queues.team-a.gpu.quota` or `settings.k-value`.
pub fn undotted(text: &str) -> Path {
    let (section, rest) = text.split_once('.').unwrap_or((text, ""));
    let path = Path::default().field(section);
    match (MAPS.contains(&section), rest) {
        (_, "") => path,
        (true, name) => path.field(name),
        (false, rest) => {
            let mut parts = rest.split('.');
            let named = path.named(parts.next().unwrap_or_default());
            parts.fold(named, |path, field| path.field(field))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::read;

    fn scenario(text: &str) -> Scenario {
        read(text).scenario.expect("a scenario")
    }

    const TEXT: &str = "format: fairground-scenario\nversion: 1\nname: A\nsettings: {kValue: 1, old: 2}\n\
                        nodes:\n- {name: n, count: 2, gpu: 4}\nqueues:\n- {name: a, gpu: {quota: 1, weight: 2}}\n\
                        - {name: b.c}\njobs:\n- {name: j, queue: a, pods: 2}\ntimeline:\n- {at: 5s, note: five}\n";

    #[test]
    fn differences_in_values_are_edits() {
        let before = scenario(TEXT);
        let text = TEXT.replace("kValue: 1, old: 2", "kValue: 3, new: 1").replace("quota: 1, ", "limit: 8, ");
        let after = scenario(&text.replace("count: 2", "count: 5").replace("name: A", "name: B"));
        let edits = edits_between(&before, &after).expect("values");
        let mut words: Vec<String> = edits
            .iter()
            .map(|edit| match edit {
                Edit::Set { at, value } => format!("{}={value}", dotted(at).expect("a word")),
                other => panic!("{other:?}"),
            })
            .collect();
        words.sort();
        let expected = [
            "name=B",
            "nodes.n.count=5",
            "queues.a.gpu.limit=8",
            "queues.a.gpu.quota=",
            "settings.kValue=3",
            "settings.new=1",
            "settings.old=",
        ];
        assert_eq!(words, expected);
        assert_eq!(edits_between(&before, &before), Some(Vec::new()));
    }

    #[test]
    fn other_differences_are_none() {
        let before = scenario(TEXT);
        for (from, to) in [
            ("- {name: b.c}\n", ""),
            ("name: j", "name: k"),
            ("note: five", "note: six"),
            ("pods: 2", "labels: {a: b}"),
        ] {
            assert!(TEXT.contains(from));
            assert_eq!(edits_between(&before, &scenario(&TEXT.replace(from, to))), None, "{from}");
        }
    }

    #[test]
    fn names_with_dots_are_no_words() {
        let quota = |name: &str| Path::default().field("queues").named(name).field("gpu").field("quota");
        assert_eq!(dotted(&quota("a")).as_deref(), Some("queues.a.gpu.quota"));
        assert_eq!(dotted(&quota("b.c")), None);
        assert_eq!(dotted(&Path::default().field("jobs").at(0).field("pods")), None);
        assert_eq!(undotted("settings.a.b"), Path::default().field("settings").field("a.b"));
    }
}
