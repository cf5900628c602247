//! Module paths in source text.

use super::{File, first_name};

/// Code of a file without comments, tests and indentation.
pub fn code_text(file: &File) -> String {
    file.code().into_iter().map(|(_, line)| format!("{}\n", line.trim())).collect()
}

/// Paths that begin with `crate::` or `super::` in the code of a file, below the crate.
pub fn used_paths(file: &File) -> Vec<Vec<String>> {
    let (text, own) = (code_text(file), file.path());
    let mut paths = Vec::new();
    expand(&text, "crate::", &[], &mut paths);
    expand(&text, "super::", &own[..own.len().saturating_sub(1)], &mut paths);
    paths
}

/// Collects the paths in a text that start with `start`, relative to `base`: `start::{a, b::{c}}` has two leaves and
/// three paths.
pub fn expand(text: &str, start: &str, base: &[String], paths: &mut Vec<Vec<String>>) {
    for (at, _) in text.match_indices(start) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let mut stack = vec![base.to_vec()];
        let mut path = base.to_vec();
        let mut rest = &text[at + start.len()..];
        loop {
            rest = rest.trim_start();
            if let Some(more) = rest.strip_prefix('{') {
                stack.push(path.clone());
                rest = more;
            } else if let Some(more) = rest.strip_prefix(',').filter(|_| stack.len() > 1) {
                path = stack[stack.len() - 1].clone();
                rest = more;
            } else if let Some(more) = rest.strip_prefix('}').filter(|_| stack.len() > 1) {
                path = stack.pop().unwrap_or_default();
                rest = more;
            } else {
                let name = first_name(rest);
                match name {
                    "" => break,
                    "super" => drop(path.pop()),
                    "self" => {}
                    _ => path.push(name.to_owned()),
                }
                paths.push(path.clone());
                rest = &rest[name.len()..];
                match rest.strip_prefix("::") {
                    Some(more) => rest = more,
                    None if stack.len() == 1 => break,
                    None => {}
                }
            }
            if stack.len() == 1 && rest.starts_with([';', ',', '}']) {
                break;
            }
        }
    }
}
