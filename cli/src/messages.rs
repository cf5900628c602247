//! Messages on stderr: findings with `path:line:column`, problem and fix, and notes of a translation.

use std::io::Write;

use fairground::scenario::{self, Diagnostic, Severity};
use fairground::translate::Note;

use crate::Stop;

/// Maximum number of printed locations per note; further ones are counted.
const PLACES: usize = 3;

/// Prints a line on stderr, with control characters replaced so that file contents cannot control the terminal.
pub fn eprint_line(line: &str) {
    eprintln!("{}", scenario::visible(line));
}

/// Prints findings on stderr.
pub fn report(file: &str, found: &[Diagnostic]) -> Result<(), Stop> {
    let mut err = std::io::stderr().lock();
    let mut write = |line: String| writeln!(err, "{}", scenario::visible(&line));
    for d in found {
        let position = d.position.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        let severity = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write(format!("{}{position}: {severity} {}: {}", shown(file), d.code.0, d.says))?;
        let at = d.at.to_string();
        if !at.is_empty() {
            write(format!("  at: {at}"))?;
        }
        if let Some(fix) = &d.fix {
            write(format!("  fix: {}", fix.label))?;
        }
    }
    Ok(())
}

/// Returns the display name of a file.
pub fn shown(file: &str) -> &str {
    if file == "-" { "standard input" } else { file }
}

/// Prints the notes of a translation on stderr.
pub fn print_notes(notes: &[Note]) -> std::io::Result<()> {
    let mut err = std::io::stderr().lock();
    for note in notes {
        let mut places: Vec<String> = note.at.iter().take(PLACES).map(ToString::to_string).collect();
        if note.at.len() > PLACES {
            places.push(format!("{} more", note.at.len() - PLACES));
        }
        let line = format!("{}: {} ({})", note.kind.name(), note.says, places.join(", "));
        writeln!(err, "{}", scenario::visible(&line))?;
    }
    Ok(())
}
