//! Requests of the driver and executors of a SparkApplication, which has no pod templates.
//!
//! # Source
//! Spark operator, `docs/api-docs.md` (`v1beta2`); Apache Spark, *Running on Kubernetes*,
//! `spark.kubernetes.memoryOverheadFactor`
//!
//! # Differs
//! Spark's settings in `sparkConf` are not read. Executors do not wait for their driver.

use super::objects::Object;
use super::parts::Part;
use super::pod_templates::number;
use super::pods::{Request, texts, toleration};
use crate::import::reader::LocatedValue;

/// Least memory beside that of the program, in MiB.
const OVERHEAD_MIB: f64 = 384.0;

/// Memory of a driver or executor without one, in MiB: Spark's default.
const MEMORY_MIB: f64 = 1024.0;

/// Returns the driver and the executors.
pub fn parts<'a>(object: &Object<'a>) -> Vec<Part<'a>> {
    let part = |(key, n_pods): (&str, u64)| {
        let place = object.place.at(&["spec", key])?;
        Some(Part {
            name: key.to_string(),
            n_pods,
            least: None,
            template: Object { place, ..object.clone() },
            inner: Vec::new(),
        })
    };
    let n = number(&object.place, &["spec", "executor", "instances"]);
    // Spark begins with the first of these that it has.
    let first = ["initialExecutors", "minExecutors"].iter().find_map(|key| {
        let is_on = object.place.scalar(&["spec", "dynamicAllocation", "enabled"]) == Some("true");
        number(&object.place, &["spec", "dynamicAllocation", *key]).filter(|_| is_on)
    });
    let n = n.or(first).unwrap_or(1);
    [("driver", 1), ("executor", n)].into_iter().filter_map(part).collect()
}

/// Adds what a driver or executor requests.
pub fn add_request(request: &mut Request, object: &Object<'_>, part: &LocatedValue<'_>) {
    let number = |key: &str| part.scalar(&[key]).and_then(|text| text.parse::<f64>().ok());
    let cores = part.scalar(&["coreRequest"]).and_then(|text| match text.strip_suffix('m') {
        Some(n) => n.parse::<f64>().ok().map(|n| n / 1000.0),
        None => text.parse().ok(),
    });
    let cores = cores.or_else(|| number("cores")).unwrap_or(1.0);
    let is_jvm = matches!(object.place.scalar(&["spec", "type"]), None | Some("Java" | "Scala"));
    let factor = object.place.scalar(&["spec", "memoryOverheadFactor"]).and_then(|text| text.parse::<f64>().ok());
    let factor = factor.unwrap_or(if is_jvm { 0.1 } else { 0.4 });
    let memory = part.scalar(&["memory"]).and_then(mebibytes).unwrap_or(MEMORY_MIB);
    let overhead = part.scalar(&["memoryOverhead"]).and_then(mebibytes);
    let overhead = overhead.unwrap_or_else(|| (memory * factor).max(OVERHEAD_MIB));
    request.amounts.cpu = request.amounts.cpu.max((cores * 1000.0) as i64);
    request.amounts.memory = request.amounts.memory.max(((memory + overhead) * 1024.0 * 1024.0) as i64);
    for place in [object.place.at(&["spec", "nodeSelector"]), part.get("nodeSelector")] {
        request.selector.extend(texts(place));
    }
    request.tolerations.extend(part.items(&["tolerations"]).iter().map(toleration));
    if part.scalar(&["gpu", "name"]).is_some_and(|name| crate::import::amounts::GPUS.contains(&name)) {
        let n = part.scalar(&["gpu", "quantity"]).and_then(|text| text.parse::<i64>().ok());
        request.amounts.gpu = n.unwrap_or(0).clamp(0, 1_000_000) * 1000;
    }
}

/// Reads an amount of memory as Spark writes it: `512m` and `2g` are MiB and GiB.
fn mebibytes(text: &str) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.trim_end_matches('b').trim_end_matches('i');
    let i = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let n: f64 = text[..i].parse().ok()?;
    Some(match &text[i..] {
        "k" => n / 1024.0,
        "" | "m" => n,
        "g" => n * 1024.0,
        "t" => n * 1024.0 * 1024.0,
        _ => return None,
    })
}
