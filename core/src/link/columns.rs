//! A scenario as columns: one list per field of a section, with repeated values stored once. Columns compress better
//! than rows.
//!
//! Layout 1, as JSON: `[1, rules, key, value, key, value, …]`. A key is a field's position in the format's table of
//! fields; for a field inside a group it is `32 × (position of the group + 1) + position`, and for positions from 32
//! on, which have no group, `2048 + position`. Fields added to the format later are therefore appended to their table.
//! A section is `[number of rows, key, column, …]`; a column is one of
//!
//! - `[value, value, …]`, without trailing omitted values,
//! - `{"c": value}`, the same value in every row,
//! - `{"d": [value, …], "i": text}`, a dictionary and one character per row that selects the value,
//! - `{"p": text, "s": number}`, the text followed by a number that rises by one from row to row.
//!
//! An omitted value is `null`; integers are written without quotes.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::scenario::{PODS_MAX, Ref, Rows, SECTIONS, Scalar, Scenario, Shape, SlotMut};

/// Version of the scenario format inside the layout.
const FORMAT_VERSION: u32 = 1;
/// Number of positions per group.
const GROUP: u32 = 32;
/// Offset of keys of positions from [`GROUP`] on; greater than any key inside a group.
const FAR: u32 = 2048;
/// Characters that index the values of a dictionary.
const CODES: std::ops::Range<u8> = b'#'..b'\\';
/// Largest size in bytes charged for an entry.
const ROW_BYTES: usize = 192;
/// Memory limit in bytes for a decoded link, so that a short link cannot exhaust the memory.
const BYTES_MAX: usize = 128 << 20;

/// Writes a scenario as columns.
pub fn write(scenario: &Scenario, rules: u32) -> String {
    let mut out = vec![FORMAT_VERSION.into(), rules.into()];
    for (key, value) in cells(scenario) {
        if !value.is_null() {
            out.extend([key.into(), value]);
        }
    }
    Value::Array(out).to_string()
}

/// The fields of an entry with their keys; omitted ones are `null`.
fn cells(shape: &dyn Shape) -> Vec<(u32, Value)> {
    let mut cells = Vec::new();
    for (i, _) in (0u32..).zip(shape.names()) {
        let value = match shape.field(i as usize) {
            Ref::Part(part) => {
                cells.extend(cells_of_part(part, i));
                continue;
            }
            Ref::Text("") | Ref::Plain("") => Value::Null,
            Ref::Text(text) | Ref::Plain(text) => compact(text),
            Ref::Name(text) | Ref::Value(text) => text.map_or(Value::Null, compact),
            Ref::Labels(map) => object(map.iter().map(|(k, v)| (k, v.as_str()))),
            Ref::Settings(map) => object(map.iter().map(|(k, v)| (k, v.0.as_str()))),
            Ref::Texts([]) => Value::Null,
            Ref::Texts(texts) => texts.iter().map(|t| compact(t)).collect(),
            Ref::Rows(rows) if rows.count() == 0 => Value::Null,
            Ref::Rows(rows) => table(rows),
        };
        cells.push((if i < GROUP { i } else { FAR + i }, value));
    }
    cells
}

fn cells_of_part(part: &dyn Shape, i: u32) -> Vec<(u32, Value)> {
    cells(part).into_iter().map(|(key, value)| (GROUP * (i + 1) + key, value)).collect()
}

fn object<'a>(entries: impl Iterator<Item = (&'a String, &'a str)>) -> Value {
    let map: Map<String, Value> = entries.map(|(k, v)| (k.clone(), compact(v))).collect();
    if map.is_empty() { Value::Null } else { Value::Object(map) }
}

/// A text, as a number if that is lossless.
fn compact(text: &str) -> Value {
    match text.parse::<i64>() {
        Ok(n) if text.len() <= 15 && n.to_string() == text => n.into(),
        _ => text.into(),
    }
}

fn table(rows: &dyn Rows) -> Value {
    let mut columns: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
    for i in 0..rows.count() {
        for (key, value) in rows.row(i).map(cells).unwrap_or_default() {
            columns.entry(key).or_default().push(value);
        }
    }
    let mut out = vec![rows.count().into()];
    for (key, column) in columns {
        if column.iter().any(|value| !value.is_null()) {
            out.extend([key.into(), pack(column)]);
        }
    }
    Value::Array(out)
}

/// Encodes a column in its shortest form.
fn pack(mut column: Vec<Value>) -> Value {
    let n = column.len();
    if column.iter().all(|value| *value == column[0]) {
        let one = column.swap_remove(0);
        return json!({ "c": one });
    }
    if let Some((prefix, first)) = running(&column) {
        return json!({ "p": prefix, "s": first });
    }
    if n >= 8
        && let Some((values, codes)) = dictionary(&column)
    {
        return json!({ "d": values, "i": codes });
    }
    while column.last().is_some_and(Value::is_null) {
        column.pop();
    }
    Value::Array(column)
}

/// Prefix and first number of consecutively numbered names.
fn running(column: &[Value]) -> Option<(String, u64)> {
    let Value::String(name) = column.first()? else { return None };
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let first: u64 = name[prefix.len()..].parse().ok()?;
    let is_next = |(n, value): (u64, &Value)| match value {
        Value::String(name) => {
            name.strip_prefix(prefix).is_some_and(|rest| rest.parse() == Ok(n) && !has_padding(rest))
        }
        _ => false,
    };
    let end = first.checked_add(column.len() as u64)?;
    (first..end).zip(column).all(is_next).then(|| (prefix.to_string(), first))
}

/// Whether a number has leading signs or zeros that are lost by parsing.
fn has_padding(digits: &str) -> bool {
    digits.starts_with(['+', '0']) && digits != "0"
}

/// The distinct values of a column and one index character per row; `None` if there are too many.
fn dictionary(column: &[Value]) -> Option<(Vec<Value>, String)> {
    let max = usize::from(CODES.end - CODES.start).min(column.len() / 2);
    let mut values: Vec<Value> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut codes = String::with_capacity(column.len());
    for value in column {
        let next = known.len();
        let i = *known.entry(value.to_string()).or_insert(next);
        if i >= max {
            return None;
        }
        if i == next {
            values.push(value.clone());
        }
        codes.push(char::from(CODES.start + u8::try_from(i).ok()?));
    }
    Some((values, codes))
}

/// Reads a scenario from its columns; also returns the rules of the build that wrote them.
pub fn read(content: &[u8]) -> Result<(Scenario, u32), String> {
    let value: Value = serde_json::from_slice(content).map_err(|e| format!("the content is no JSON: {e}"))?;
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let [version, rules, fields @ ..] = items else { return Err("the content is no list of fields".into()) };
    if version.as_u64() != Some(u64::from(FORMAT_VERSION)) {
        return Err(format!("the content is of version {version} of the format"));
    }
    let rules = rules.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or("the rules have no version")?;
    let mut scenario = Scenario::default();
    let mut budget = BYTES_MAX;
    for pair in fields.chunks(2) {
        let [key, value] = pair else { return Err("a field has no value".into()) };
        let key = key_of(key)?;
        within_limits(&scenario, key, value)?;
        put(&mut scenario, key, value, &mut budget)?;
    }
    Ok((scenario, rules))
}

/// Rejects a section with too many entries before memory is allocated for it.
fn within_limits(scenario: &Scenario, key: u32, value: &Value) -> Result<(), String> {
    let name = scenario.names().get(key as usize).copied().unwrap_or_default();
    let Some(limit) = SECTIONS.iter().find(|limit| limit.key == name) else { return Ok(()) };
    match value.get(0).and_then(Value::as_u64) {
        Some(n) if n > limit.most as u64 => Err(format!("there are {n} {name}; up to {} are simulated", limit.most)),
        _ => Ok(()),
    }
}

fn key_of(key: &Value) -> Result<u32, String> {
    key.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(|| "a field has no key".to_string())
}

/// Sets a field to a value.
fn put(shape: &mut dyn Shape, key: u32, value: &Value, budget: &mut usize) -> Result<(), String> {
    let (i, inner) = match key {
        0..GROUP => (key, None),
        GROUP..FAR => (key / GROUP - 1, Some(key % GROUP)),
        _ => (key - FAR, None),
    };
    if i as usize >= shape.names().len() {
        return Err(format!("field {key} is not known"));
    }
    if value.is_null() {
        return Ok(());
    }
    match (shape.field_mut(i as usize), inner) {
        (SlotMut::Part(part), Some(key)) => return put(part, key, value, budget),
        (SlotMut::Part(_), None) | (_, Some(_)) => return Err(format!("field {key} is not known")),
        (SlotMut::Text(text), _) => *text = text_of(value, budget)?,
        (SlotMut::Plain(scalar), _) => scalar.0 = text_of(value, budget)?,
        (SlotMut::Name(name), _) => *name = Some(text_of(value, budget)?),
        (SlotMut::Value(scalar), _) => *scalar = Some(Scalar(text_of(value, budget)?)),
        (SlotMut::Labels(labels), _) => {
            for (key, value) in value.as_object().ok_or("labels are no names with values")? {
                spend(key.len(), budget)?;
                labels.insert(key.clone(), text_of(value, budget)?);
            }
        }
        (SlotMut::Settings(settings), _) => {
            for (key, value) in value.as_object().ok_or("settings are no names with values")? {
                spend(key.len(), budget)?;
                settings.insert(key.clone(), Scalar(text_of(value, budget)?));
            }
        }
        (SlotMut::Texts(texts), _) => {
            for value in value.as_array().ok_or("a list of names is no list")? {
                texts.push(text_of(value, budget)?);
            }
        }
        (SlotMut::Rows(rows), _) => unpack(rows, value, budget)?,
    }
    Ok(())
}

fn spend(bytes: usize, budget: &mut usize) -> Result<(), String> {
    *budget = budget.checked_sub(bytes + 16).ok_or("the content repeats too much")?;
    Ok(())
}

fn text_of(value: &Value, budget: &mut usize) -> Result<String, String> {
    let text = match value {
        Value::String(text) => {
            spend(text.len(), budget)?;
            return Ok(text.clone());
        }
        Value::Number(n) if n.is_i64() => n.to_string(),
        _ => return Err("a text is neither text nor number".into()),
    };
    spend(text.len(), budget)?;
    Ok(text)
}

fn unpack(rows: &mut dyn Rows, value: &Value, budget: &mut usize) -> Result<(), String> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let [n, columns @ ..] = items else { return Err("a section is no list of columns".into()) };
    let n = n.as_u64().filter(|&n| n <= PODS_MAX).ok_or("a section has too many rows")?;
    let n = usize::try_from(n).map_err(|_| "a section has too many rows")?;
    // Large entries are charged at most ROW_BYTES, so that a scenario of the largest permitted size fits.
    spend(n.saturating_mul(rows.row_bytes().min(ROW_BYTES)), budget)?;
    rows.reset(n);
    for pair in columns.chunks(2) {
        let [key, column] = pair else { return Err("a column has no values".into()) };
        let key = key_of(key)?;
        for i in 0..n {
            let cell = cell(column, i)?;
            if let Some(row) = rows.row_mut(i) {
                put(row, key, &cell, budget)?;
            }
        }
    }
    Ok(())
}

/// The value of a row in a column.
fn cell(column: &Value, i: usize) -> Result<std::borrow::Cow<'_, Value>, String> {
    use std::borrow::Cow;
    const NULL: &Value = &Value::Null;
    let map = match column {
        Value::Array(values) => return Ok(Cow::Borrowed(values.get(i).unwrap_or(NULL))),
        Value::Object(map) => map,
        _ => return Err("a column has an unknown form".into()),
    };
    if let Some(value) = map.get("c") {
        return Ok(Cow::Borrowed(value));
    }
    let known = match (map.get("d"), map.get("i"), map.get("p"), map.get("s")) {
        (Some(Value::Array(values)), Some(Value::String(codes)), None, None) => codes
            .as_bytes()
            .get(i)
            .and_then(|code| values.get(usize::from(code.checked_sub(CODES.start)?)))
            .map(Cow::Borrowed),
        (None, None, Some(Value::String(prefix)), Some(first)) => {
            let n = first.as_u64().and_then(|first| first.checked_add(i as u64));
            n.map(|n| Cow::Owned(Value::String(format!("{prefix}{n}"))))
        }
        _ => None,
    };
    known.ok_or_else(|| "a column has an unknown form".to_string())
}
