//! How well the engine is checked against the real schedulers: a file that the test run writes.

use serde::Deserialize;

/// How many recorded cases agree.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Agreement {
    /// Cases that agree.
    #[serde(default)]
    pub agree: u64,
    /// All cases.
    #[serde(default)]
    pub of: u64,
    /// Cases that need what is not built yet.
    #[serde(default)]
    pub not_built: u64,
    /// The revision of the real scheduler.
    #[serde(default)]
    pub revision: String,
}

#[derive(Default, Deserialize)]
struct File {
    #[serde(default)]
    kai: Agreement,
    #[serde(default)]
    yunikorn: Agreement,
    #[serde(default)]
    runai: Agreement,
    #[serde(default)]
    ego: Agreement,
}

const TEXT: &str = include_str!("../../assets/agreement.json");

/// How well a policy is checked; nothing is known of one that has no recordings.
pub fn of(policy: &str) -> Agreement {
    let file = serde_json::from_str::<File>(TEXT).unwrap_or_default();
    match policy {
        "kai" => file.kai,
        "yunikorn" => file.yunikorn,
        "runai" => file.runai,
        "ego" => file.ego,
        _ => Agreement::default(),
    }
}

/// What the badge says of a policy; `None`: nothing is known.
pub fn badge(policy: &str) -> Option<String> {
    let Agreement { agree, of, .. } = of(policy);
    (of > 0).then(|| format!("{} of {} agree", thousands(agree), thousands(of)))
}

/// A count with separated thousands.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_separated() {
        assert_eq!(super::thousands(12), "12");
        assert_eq!(super::thousands(4182), "4,182");
        assert_eq!(super::thousands(1_000_000), "1,000,000");
    }
}
