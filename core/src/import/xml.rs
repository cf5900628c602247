//! A minimal XML parser for resource plans: elements with attributes, text, children and line numbers. Libraries reject
//! malformed XML, which includes the product's own sample plan; this parser closes an unclosed element with the
//! enclosing one.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// An element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// Tag name.
    pub name: String,
    /// Attributes in document order.
    pub attributes: Vec<(String, String)>,
    /// Trimmed text directly inside.
    pub text: String,
    /// Child elements in document order.
    pub children: Vec<Element>,
    /// One-based line of the start tag.
    pub line: u32,
    /// Attributes that were asked for.
    asked: RefCell<BTreeSet<String>>,
}

impl Element {
    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.asked.borrow_mut().insert(name.to_string());
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
    /// Counts the attributes that nothing asked for, by element and name, in elements that were asked for others.
    pub fn unread(&self, unread: &mut BTreeMap<(String, String), u32>) {
        let requested = self.asked.borrow();
        for (name, _) in self.attributes.iter().filter(|(name, _)| !requested.is_empty() && !requested.contains(name)) {
            let is_markup = name.starts_with("xml") || name.contains(':');
            if !is_markup {
                *unread.entry((self.name.clone(), name.clone())).or_default() += 1;
            }
        }
        self.children.iter().for_each(|child| child.unread(unread));
    }
    /// Returns the children with this name.
    pub fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
    /// Returns the first child with this name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }
}

/// Maximum nesting depth.
const DEPTH_MAX: usize = 64;

/// Returns the root element and the unclosed elements as (name, line). `None` if there is no element or the nesting is
/// too deep.
pub fn parse(text: &str) -> Option<(Element, Vec<(String, u32)>)> {
    let mut unclosed = Vec::new();
    let mut open_elements = vec![Element::default()];
    let mut rest = text;
    let mut line = 1;
    while let Some(start) = rest.find('<') {
        let (before, tag) = (&rest[..start], &rest[start..]);
        add_text(open_elements.last_mut()?, before);
        let end = match tag {
            t if t.starts_with("<!--") => t.find("-->").map_or(t.len(), |end| end + 3),
            t => t.find('>').map_or(t.len(), |end| end + 1),
        };
        line += count_lines(before);
        let body = tag[1..end].trim_end_matches('>');
        if let Some(name) = body.strip_prefix('/') {
            close(&mut open_elements, name.trim(), &mut unclosed);
        } else if !body.starts_with(['!', '?']) {
            if open_elements.len() > DEPTH_MAX {
                return None;
            }
            let element = element(body.trim_end_matches('/'), line);
            let is_void = body.ends_with('/') || element.name.is_empty();
            open_elements.push(element);
            if is_void {
                fold(&mut open_elements);
            }
        }
        line += count_lines(&tag[..end]);
        rest = &tag[end..];
    }
    while open_elements.len() > 1 {
        unclosed.extend(open_elements.last().map(|element| (element.name.clone(), element.line)));
        fold(&mut open_elements);
    }
    let root = open_elements.pop()?.children.into_iter().find(|element| !element.name.is_empty())?;
    Some((root, unclosed))
}

fn count_lines(text: &str) -> u32 {
    text.bytes().filter(|&b| b == b'\n').count() as u32
}

fn add_text(element: &mut Element, text: &str) {
    let text = text.trim();
    if !text.is_empty() {
        if !element.text.is_empty() {
            element.text.push(' ');
        }
        element.text.push_str(&plain(text));
    }
}

/// Moves the innermost open element into its parent.
fn fold(open_elements: &mut Vec<Element>) {
    if let (Some(inner), Some(outer)) = (open_elements.pop(), open_elements.last_mut()) {
        outer.children.push(inner);
    }
}

/// Closes the innermost open element with this name and everything in it. Ignores an end tag without an open element.
fn close(open_elements: &mut Vec<Element>, name: &str, unclosed: &mut Vec<(String, u32)>) {
    if let Some(i) = open_elements.iter().skip(1).rposition(|element| element.name == name) {
        unclosed.extend(open_elements.iter().skip(i + 2).map(|element| (element.name.clone(), element.line)));
        while open_elements.len() > i + 1 {
            fold(open_elements);
        }
    }
}

fn element(body: &str, line: u32) -> Element {
    let name_end = body.find(|c: char| c.is_whitespace()).unwrap_or(body.len());
    let name = &body[..name_end];
    // A shorthand such as <ncpus=1> has no end tag and no content.
    let name = if name.contains('=') { "" } else { name };
    let mut element = Element { name: name.to_string(), line, ..Element::default() };
    let mut rest = body[name_end..].trim_start();
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'')) else { break };
        let Some((value, remainder)) = after[1..].split_once(quote) else { break };
        element.attributes.push((key.trim().to_string(), plain(value)));
        rest = remainder.trim_start();
    }
    element
}

/// Decodes the five predefined entities.
fn plain(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_string(), |text, (escape, to)| text.replace(escape, to))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn elements_attributes_and_text() {
        let text =
            "<?xml version='1.0'?>\n<a x=\"1\" y='2 &lt; 3'>\n  one <!-- <no> --> two\n  <b/>\n  <b z=\"\">3</b>\n</a>";
        let (a, unclosed) = parse(text).expect("an element");
        assert!(unclosed.is_empty());
        assert_eq!((a.name.as_str(), a.text.as_str(), a.line), ("a", "one two", 2));
        assert_eq!((a.attribute("x"), a.attribute("y"), a.attribute("z")), (Some("1"), Some("2 < 3"), None));
        let elements: Vec<_> = a.all("b").map(|b| (b.text.as_str(), b.attribute("z"), b.line)).collect();
        assert_eq!(elements, [("", None, 4), ("3", Some(""), 5)]);
    }

    #[test]
    fn nothing_panics() {
        for text in ["", "<", "<a", "</a>", "<a x=", "<a x=\"1>", "<a><b></a>", "<=>", "<!--", "ä<ä ä=\"ä\">ä"] {
            let _ = parse(text);
        }
        let parsed = parse("<a>\n<b></a>").map(|(a, unclosed)| (a.children.len(), unclosed));
        assert_eq!(parsed, Some((1, vec![("b".to_string(), 2)])));
        assert_eq!(parse(&"<a>".repeat(1000)), None);
    }
}
