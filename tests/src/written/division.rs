//! Blocks `division`: an amount, the siblings in order of age, and their fair shares.
//!
//! ```text
//! divide 10  k 1
//! queue a  priority 100  quota 2  limit unlimited  weight 1  request 10  usage 0.5   -> 4
//! ```

use fairground::policy::kai::share::division::{Sibling, divide, divide_recorded};

use super::{Line, ParsedLine};

/// Runs a block.
pub fn run(lines: &[Line]) -> Result<(), String> {
    let mut siblings: Vec<Sibling<'_>> = Vec::new();
    let mut expected: Vec<(usize, f64)> = Vec::new();
    let mut pot = None;
    for line in lines {
        match line.words.first().map(String::as_str) {
            Some("divide") => {
                let parsed = ParsedLine::of(line, &["k"], &[])?;
                let amount = parsed.name()?.parse::<f64>();
                let amount = amount.map_err(|_| parsed.error("the amount is not a number"))?;
                pot = Some((amount, parsed.number("k", 1.0)?));
            }
            Some("queue") => {
                siblings.push(sibling(line, siblings.len())?);
                let share = line.expected.as_deref().and_then(|text| text.parse().ok());
                let share = share.ok_or_else(|| format!("line {}: `-> share` is missing", line.number))?;
                expected.push((line.number, share));
            }
            _ => return Err(format!("line {}: expected `divide` or `queue`", line.number)),
        }
    }
    let (total, k) = pot.ok_or("the block does not say what is divided")?;
    divide_recorded(total, k, &mut siblings.clone());
    divide(total, k, &mut siblings);
    for (sibling, (line, share)) in siblings.iter().zip(expected) {
        if sibling.fair_share != share {
            return Err(format!("line {line}: {} gets {:?}, expected {share:?}", sibling.name, sibling.fair_share));
        }
    }
    Ok(())
}

fn sibling(line: &Line, position: usize) -> Result<Sibling<'_>, String> {
    let keys = ["priority", "quota", "limit", "weight", "request", "usage"];
    let parsed = ParsedLine::of(line, &keys, &[])?;
    Ok(Sibling {
        name: parsed.name()?,
        priority: parsed.count("priority", 100)?,
        created_s: position as f64,
        deserved: parsed.number("quota", 0.0)?,
        limit: parsed.number("limit", -1.0)?,
        weight: parsed.number("weight", 1.0)?,
        request: parsed.number("request", 0.0)?,
        usage: parsed.number("usage", 0.0)?,
        fair_share: 0.0,
    })
}
