//! Parses text into a [`Scenario`], shape only. Unknown keys and values of the wrong kind are reported and skipped;
//! everything else is kept, so that one mistake does not hide others.

use super::codes::{Code, Severity};
use super::diagnostic::{Diagnostic, Findings, Path, diagnostic, quoted};
use super::nearest::nearest;
use super::schema::Scenario;
use super::shape::{Mut, Rows, Shape};
use super::value::{self, Is, Position, Value};
use super::write::flow;
use super::{FORMAT, NODES_MAX, PODS_MAX, POOLS_MAX, QUEUES_MAX, Scalar, VERSION, codes};

/// Result of reading a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The scenario as far as its shape is valid; `None` only if the text as a whole is no scenario.
    pub scenario: Option<Scenario>,
    /// Findings about the shape, with positions.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the text seems to contain comments, which are lost, unlike `note` fields.
    pub has_comments: bool,
}

impl Read {
    /// Whether the shape is free of errors, so that the scenario can be checked.
    pub fn is_clean(&self) -> bool {
        self.scenario.is_some() && self.diagnostics.iter().all(|d| d.severity != Severity::Error)
    }
}

/// Maximum number of entries per section, enforced while the text is parsed.
pub(crate) const SECTIONS: [value::Limit; 5] = [
    value::Limit { key: "queues", anywhere: false, most: QUEUES_MAX as usize },
    value::Limit { key: "nodes", anywhere: false, most: NODES_MAX as usize },
    value::Limit { key: "jobs", anywhere: false, most: PODS_MAX as usize },
    value::Limit { key: "pools", anywhere: false, most: POOLS_MAX },
    value::Limit { key: "timeline", anywhere: false, most: PODS_MAX as usize },
];

/// Prefix of the comment line that names the JSON schema for editors.
pub const SCHEMA_LINE: &str = "# yaml-language-server: $schema=";

/// Reads YAML or JSON of format version 1.
pub fn read(text: &str) -> Read {
    let mut reader = Reader::default();
    let scenario = match value::parse(text, &SECTIONS) {
        Err(refusal) => {
            reader.findings.push(*refusal);
            None
        }
        Ok(tree) => reader.scenario(tree),
    };
    let comment = |line: &str| line.trim_start().starts_with('#') || line.contains(" # ");
    // The schema line is written anew with every file, so it is not lost.
    let for_editors = |line: &str| line.starts_with(SCHEMA_LINE);
    let has_comments =
        !text.trim_start().starts_with('{') && text.lines().any(|line| comment(line) && !for_editors(line));
    Read { scenario, diagnostics: reader.findings.finish(), has_comments }
}

/// Reads the fields of another kind of file into an empty shape. Returns findings about the shape, with positions.
pub(crate) fn read_shape(text: &str, shape: &mut dyn Shape) -> Vec<Diagnostic> {
    let mut reader = Reader::default();
    match value::parse(text, &SECTIONS) {
        Err(refusal) => reader.findings.push(*refusal),
        Ok(Value { is: Is::Map(entries), .. }) => reader.fill(shape, entries, &Path::default()),
        Ok(tree) => {
            let message = format!("keys and values are expected: {}", shape.names().join(", "));
            reader.add(codes::SHAPE, &Path::default(), tree.at, message);
        }
    }
    reader.findings.finish()
}

/// Adds positions in the text to findings that have none. Does nothing if the text cannot be parsed.
pub fn locate(text: &str, diagnostics: &mut [Diagnostic]) {
    if diagnostics.iter().all(|d| d.position.is_some()) {
        return;
    }
    let Ok(tree) = value::parse(text, &SECTIONS) else { return };
    for diagnostic in diagnostics.iter_mut().filter(|d| d.position.is_none()) {
        diagnostic.position = Some(position(&tree, &diagnostic.at));
    }
}

/// Returns the position of a location, or of its nearest ancestor that exists in the text.
pub(crate) fn position(tree: &Value, path: &Path) -> Position {
    use super::Segment;
    let mut value = tree;
    let mut position = tree.at;
    for segment in &path.0 {
        let next = match (segment, &value.is) {
            (Segment::Field(name), _) => value.get(name),
            (Segment::At(i), Is::List(items)) => items.get(*i as usize),
            (Segment::Named(name), Is::List(items)) => items
                .iter()
                .find(|item| item.get("name").is_some_and(|n| matches!(&n.is, Is::Scalar(text) if text == name))),
            (Segment::Named(name), Is::Map(_)) => value.get(name),
            _ => None,
        };
        match next {
            Some(child) => (value, position) = (child, child.at),
            None => break,
        }
    }
    position
}

/// Returns every single value of a text with its location and position; nothing if the text cannot be parsed.
pub fn positions(text: &str) -> Vec<(Path, Position)> {
    let mut positions = Vec::new();
    if let Ok(tree) = value::parse(text, &SECTIONS) {
        add_positions(&tree, Path::default(), &mut positions);
    }
    positions
}

fn add_positions(value: &Value, path: Path, positions: &mut Vec<(Path, Position)>) {
    match &value.is {
        Is::Map(entries) => entries.iter().for_each(|(key, value)| add_positions(value, path.field(key), positions)),
        Is::List(items) => {
            for (i, item) in (0..).zip(items) {
                let path = match item.get("name").map(|name| &name.is) {
                    Some(Is::Scalar(name)) => path.named(name),
                    _ => path.at(i),
                };
                add_positions(item, path, positions);
            }
        }
        _ => positions.push((path, value.at)),
    }
}

#[derive(Default)]
struct Reader {
    findings: Findings,
}

impl Reader {
    fn add(&mut self, code: Code, path: &Path, position: Position, message: String) {
        self.findings.push(Diagnostic { position: Some(position), ..diagnostic(code, path.clone(), message, None) });
    }

    fn scenario(&mut self, tree: Value) -> Option<Scenario> {
        let path = Path::default();
        let Is::Map(mut entries) = tree.is else {
            let message = format!("this is no scenario; a scenario begins with `format: {FORMAT}`");
            self.add(codes::FORMAT, &path, tree.at, message);
            return None;
        };
        let mut take = |key: &str| {
            let i = entries.iter().position(|(name, _)| name == key)?;
            Some(entries.remove(i).1)
        };
        let (format, version) = (take("format"), take("version"));
        let has_format = format.is_some();
        match format {
            Some(Value { is: Is::Scalar(text), .. }) if text == FORMAT => {}
            Some(other) => {
                let message = format!("this is another kind of file; a scenario says `format: {FORMAT}`");
                self.add(codes::FORMAT, &path.field("format"), other.at, message);
                return None;
            }
            None => {
                let message = format!("the format is missing; add `format: {FORMAT}` as the first line");
                self.add(codes::FORMAT, &path, tree.at, message);
            }
        }
        match version {
            Some(Value { is: Is::Scalar(text), .. }) if text == VERSION => {}
            Some(other) => {
                let shown = match &other.is {
                    Is::Scalar(text) => quoted(text),
                    _ => "this".to_string(),
                };
                let message = format!(
                    "version {shown} of the format is not known here, this build reads version {VERSION}: open the file in the build that \
                     wrote it, or in a newer one"
                );
                self.add(codes::VERSION, &path.field("version"), other.at, message);
                return None;
            }
            None if !has_format => {}
            None => {
                let message = format!("the version is missing; add `version: {VERSION}` as the second line");
                self.add(codes::VERSION, &path, tree.at, message);
            }
        }
        let mut scenario = Scenario::default();
        self.fill(&mut scenario, entries, &path);
        Some(scenario)
    }

    /// Fills a group of fields from the entries of a map.
    fn fill(&mut self, shape: &mut dyn Shape, entries: Vec<(String, Value)>, path: &Path) {
        let names = shape.names();
        for (key, value) in entries {
            match names.iter().position(|&name| name == key) {
                Some(i) => self.field(shape.field_mut(i), value, &path.field(names[i])),
                None => {
                    let hint = match nearest(&key, names.iter().copied()) {
                        Some(name) => format!("did you mean `{name}`?"),
                        None => format!("known here: {}", names.join(", ")),
                    };
                    let message = format!("unknown field {}; {hint}", quoted(&key));
                    self.add(codes::UNKNOWN_KEY, path, value.at, message);
                }
            }
        }
    }

    fn field(&mut self, field: Mut<'_>, value: Value, path: &Path) {
        let position = value.at;
        if value.is == Is::Null {
            return;
        }
        match (field, value.is) {
            (Mut::Text(text), Is::Scalar(typed)) => *text = typed,
            (Mut::Name(name), Is::Scalar(typed)) => *name = Some(typed),
            (Mut::Value(scalar), Is::Scalar(typed)) => *scalar = Some(Scalar(typed)),
            (Mut::Plain(scalar), Is::Scalar(typed)) => scalar.0 = typed,
            (Mut::Part(part), Is::Map(entries)) => self.fill(part, entries, path),
            (Mut::Labels(labels), Is::Map(entries)) => {
                for (key, value) in entries {
                    if let Some(text) = self.text(value, path) {
                        labels.insert(key, text);
                    }
                }
            }
            (Mut::Settings(settings), Is::Map(entries)) => {
                for (key, value) in entries {
                    if let Some(text) = self.setting(value, &path.field(&key)) {
                        settings.insert(key, Scalar(text));
                    }
                }
            }
            (Mut::Texts(texts), Is::List(items)) => {
                texts.extend(items.into_iter().filter_map(|item| self.text(item, path)));
            }
            (Mut::Texts(texts), Is::Scalar(typed)) => texts.push(typed),
            (Mut::Rows(rows), Is::List(items)) => self.rows(rows, items, path),
            (field, _) => {
                let expected = match field {
                    Mut::Part(part) => format!("keys and values: {}", part.names().join(", ")),
                    Mut::Labels(_) | Mut::Settings(_) => "names with values".into(),
                    Mut::Texts(_) => "a list of names".into(),
                    Mut::Rows(_) => "a list of entries".into(),
                    _ => "one value".into(),
                };
                self.add(codes::SHAPE, path, position, format!("{path} takes {expected}"));
            }
        }
    }

    fn rows(&mut self, rows: &mut dyn Rows, items: Vec<Value>, path: &Path) {
        rows.reset(items.len());
        for (i, item) in items.into_iter().enumerate() {
            let Some(row) = rows.row_mut(i) else { continue };
            let name = match item.get("name") {
                Some(Value { is: Is::Scalar(name), .. }) => Some(name.clone()),
                _ => None,
            };
            let path = match &name {
                Some(name) => path.named(name),
                None => path.at(u32::try_from(i).unwrap_or(u32::MAX)),
            };
            match item.is {
                Is::Map(entries) => self.fill(row, entries, &path),
                _ => self.add(codes::SHAPE, &path, item.at, format!("{path} takes keys and values")),
            }
        }
    }

    fn text(&mut self, value: Value, path: &Path) -> Option<String> {
        match value.is {
            Is::Scalar(text) => Some(text),
            Is::Null => Some(String::new()),
            _ => {
                self.add(codes::SHAPE, path, value.at, format!("{path} takes texts, not lists or maps"));
                None
            }
        }
    }

    /// Returns a setting as text: a scalar as typed, a list of scalars joined by commas, other lists in flow style.
    fn setting(&mut self, value: Value, path: &Path) -> Option<String> {
        let is_plain = |item: &Value| !matches!(item.is, Is::List(_) | Is::Map(_));
        match value.is {
            Is::List(ref items) if !items.iter().all(is_plain) => Some(flow(&value)),
            Is::List(items) => {
                let texts: Option<Vec<String>> = items.into_iter().map(|item| self.text(item, path)).collect();
                texts.map(|texts| texts.join(", "))
            }
            Is::Null => None,
            _ => self.text(value, path),
        }
    }
}
