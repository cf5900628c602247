//! Translates a scenario to another policy.

use std::io::Write;

use fairground::scenario;
use fairground::translate::{Note, translate as in_words_of};
use serde_json::{Value, json};

use crate::args::Translate;
use crate::load::load;
use crate::messages::{eprint_line, print_notes};
use crate::{End, Stop};

/// Returns notes as JSON.
pub fn notes_as_json(notes: &[Note]) -> Value {
    let note = |note: &Note| {
        let at: Vec<String> = note.at.iter().map(ToString::to_string).collect();
        json!({ "kind": note.kind.name(), "says": note.says, "at": at })
    };
    notes.iter().map(note).collect()
}

/// Translates a scenario to another policy and writes it.
pub fn translate(args: &Translate) -> Result<End, Stop> {
    let loaded = load(&args.file, None)?;
    let Some(translated) = in_words_of(&loaded.scenario, &args.policy) else {
        eprint_line(&format!("fairground: there is no policy {}", args.policy));
        return Err(Stop::BadInput);
    };
    print_notes(&translated.notes)?;
    let text = scenario::to_yaml(&translated.scenario);
    if args.output == "-" {
        std::io::stdout().write_all(text.as_bytes())?;
    } else {
        std::fs::write(&args.output, text)?;
    }
    Ok(End::Ok)
}
