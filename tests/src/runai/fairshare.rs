//! Kinds `fairshare`, `float` and `time-based`: the division, exact and whole, and the published formula.

use fairground::policy::runai::exact::Exact;
use fairground::policy::runai::fairshare::{Member, ProjectTerms, exact as divide, published, unused, whole};
use fairground::policy::runai::terms::OverQuota;
use serde_json::Value;

use super::{amount, exact, list, text};

const RESOURCES: [&str; 3] = ["gpu", "cpu", "mem"];

/// Settings of weights.
#[derive(Clone, Copy)]
struct Settings {
    departments_by_quota: bool,
    projects_by_quota: bool,
}

/// Kind `fairshare`.
pub fn table(case: &Value) -> Result<(), String> {
    let settings = &case["settings"];
    let settings = Settings {
        departments_by_quota: settings["department_over_quota"] == "by_quota",
        projects_by_quota: settings["over_quota_weights"] == "off",
    };
    let mut compared = 0;
    for (pool, expected) in list(&case["pools"]).zip(list(&case["expect"])) {
        for resource in RESOURCES.into_iter().filter(|r| pool["totals"].get(r).is_some()) {
            compared += compare_pool(settings, pool, expected, resource)?;
        }
        if expected["headline"].as_object().is_none_or(|h| !h.is_empty()) {
            compare_headline(settings, pool, &expected["headline"])?;
        }
    }
    if compared == 0 { Err("nothing to compare".to_owned()) } else { Ok(()) }
}

fn member<'c>(queue: &'c Value, by_quota: bool, request: Exact, resource: &str) -> Result<Member<'c>, String> {
    let quota = amount(&queue["quota"][resource])?;
    let over_quota = over_quota(queue)?;
    Ok(Member {
        name: text(&queue["id"])?,
        rank: queue["rank"].as_i64().unwrap_or(0),
        quota,
        limit: over_quota.limit(quota, amount(&queue["limit"][resource])?),
        weight: over_quota.weight(by_quota, quota),
        request,
        usage: Exact::ZERO,
    })
}

fn over_quota(queue: &Value) -> Result<OverQuota, String> {
    if queue["over_quota"] == false {
        return Ok(OverQuota::Off);
    }
    match &queue["weight"] {
        Value::Null => Ok(OverQuota::default()),
        Value::String(name) if OverQuota::named(name).is_some() => Ok(OverQuota::named(name).unwrap_or_default()),
        number => exact(number).map(OverQuota::Weight),
    }
}

fn compare_pool(settings: Settings, pool: &Value, expected: &Value, resource: &str) -> Result<usize, String> {
    let total = exact(&pool["totals"][resource])?;
    let mut departments = Vec::new();
    let mut projects = Vec::new();
    for department in list(&pool["departments"]) {
        let mut own = Vec::new();
        let mut request = Exact::ZERO;
        for project in list(&department["projects"]) {
            let wants = exact(&project["request"][resource])?;
            request = request.plus(wants).ok_or("too long")?;
            own.push(member(project, settings.projects_by_quota, wants, resource)?);
        }
        departments.push(member(department, settings.departments_by_quota, request, resource)?);
        projects.push(own);
    }
    let mut n = compare_level("", (total, total.as_real()), &departments, expected, resource)?;
    let parents_exact = divide(total, Exact::ZERO, &departments).ok_or("too long")?;
    let parents_whole = whole(total.as_real(), 1.0, &departments);
    for (i, own) in projects.iter().enumerate() {
        let of = (parents_exact[i], parents_whole[i]);
        n += compare_level(departments[i].name, of, own, expected, resource)?;
    }
    Ok(n)
}

fn compare_level(
    name: &str,
    (total, total_whole): (Exact, f64),
    members: &[Member<'_>],
    expected: &Value,
    resource: &str,
) -> Result<usize, String> {
    let rest = unused(total, members).ok_or("too long")?;
    same(&format!("unused of {name:?} {resource}"), &expected["unused"][name][resource], rest)?;
    let shares = divide(total, Exact::ZERO, members).ok_or("too long")?;
    let wholes = whole(total_whole, 1.0, members);
    for ((m, share), whole) in members.iter().zip(&shares).zip(wholes) {
        same(&format!("{} {resource} exact", m.name), &expected["exact"][m.name][resource], *share)?;
        let want = exact(&expected["whole"][m.name][resource])?.as_real();
        if want != whole {
            return Err(format!("{} {resource} whole: expected {want}, got {whole}", m.name));
        }
    }
    Ok(members.len())
}

fn same(place: &str, expected: &Value, got: Exact) -> Result<(), String> {
    let want = exact(expected).map_err(|e| format!("{place}: {e}"))?;
    if want == got { Ok(()) } else { Err(format!("{place}: expected {expected}, got {:?}", got.parts())) }
}

fn compare_headline(settings: Settings, pool: &Value, expected: &Value) -> Result<(), String> {
    let mut names = Vec::new();
    let mut papers = Vec::new();
    for project in list(&pool["departments"]).flat_map(|d| list(&d["projects"])) {
        let quota = amount(&project["quota"]["gpu"])?;
        let over_quota = over_quota(project)?;
        let is_on = over_quota != OverQuota::Off;
        names.push(text(&project["id"])?);
        papers.push(ProjectTerms {
            quota: quota.ok_or("the formula needs quotas")?,
            request: exact(&project["request"]["gpu"])?,
            weight: is_on.then(|| over_quota.weight(settings.projects_by_quota, quota)),
        });
    }
    let shares = published(exact(&pool["totals"]["gpu"])?, &papers).ok_or("too long")?;
    for (name, share) in names.into_iter().zip(shares) {
        same(&format!("headline of {name}"), &expected[name], share)?;
    }
    Ok(())
}

fn level(case: &Value) -> Result<Vec<Member<'_>>, String> {
    list(&case["queues"]).map(level_member).collect()
}

fn level_member(queue: &Value) -> Result<Member<'_>, String> {
    let usage = amount(&queue["usage"])?.unwrap_or(Exact::ZERO);
    let (quota, request) = (amount(&queue["quota"])?, exact(&queue["request"])?);
    let (name, weight) = (text(&queue["id"])?, exact(&queue["weight"])?);
    let rank = queue["rank"].as_i64().unwrap_or(0);
    Ok(Member { name, rank, quota, limit: None, weight, request, usage })
}

/// Kind `float`: the whole result is one of several possible ones.
pub fn float(case: &Value) -> Result<(), String> {
    let members = level(case)?;
    let total = exact(&case["total"])?;
    let got = compare_exact(case, Exact::ZERO, &members)?;
    debug_assert_eq!(got, members.len());
    let wholes = whole(total.as_real(), 1.0, &members);
    let is_it = |outcome: &Value| {
        let each = members.iter().zip(&wholes);
        each.map(|(m, w)| exact(&outcome["whole"][m.name]).map(|e| e.as_real() == *w)).all(|r| r == Ok(true))
    };
    if list(&case["expect"]["whole_any_of"]).any(is_it) {
        return Ok(());
    }
    Err(format!("whole {wholes:?} is none of the outcomes"))
}

/// Kind `time-based`: with usage history.
pub fn time_based(case: &Value) -> Result<(), String> {
    let members = level(case)?;
    let (total, k) = (exact(&case["total"])?, exact(&case["k"])?);
    compare_exact(case, k, &members)?;
    for (m, whole) in members.iter().zip(whole(total.as_real(), k.as_real(), &members)) {
        let want = exact(&case["expect"]["whole"][m.name])?.as_real();
        if want != whole {
            return Err(format!("{} whole: expected {want}, got {whole}", m.name));
        }
    }
    Ok(())
}

fn compare_exact(case: &Value, k: Exact, members: &[Member<'_>]) -> Result<usize, String> {
    let shares = divide(exact(&case["total"])?, k, members).ok_or("too long")?;
    for (m, share) in members.iter().zip(&shares) {
        same(&format!("{} exact", m.name), &case["expect"]["exact"][m.name], *share)?;
    }
    Ok(shares.len())
}
