//! Kinds `placement` and `multi-resource`: examples 20 and 21.

use serde_json::Value;

/// Example 20.
pub fn placement(_case: &Value) -> Result<(), String> {
    Err("not read yet".to_owned())
}

/// Example 21.
pub fn multi_resource(_case: &Value) -> Result<(), String> {
    Err("not read yet".to_owned())
}
