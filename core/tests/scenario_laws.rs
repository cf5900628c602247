//! Laws of reading, writing, checking and editing.

use fairground::scenario::{Edit, Path, Segment, Severity, apply, check, get, locate, read, to_json, to_yaml};
use proptest::prelude::*;

fn segment() -> impl Strategy<Value = Segment> {
    let names = [
        "name",
        "queues",
        "nodes",
        "jobs",
        "timeline",
        "gpu",
        "quota",
        "limit",
        "settings",
        "labels",
        "selector",
        "pod-sets",
        "on",
        "delays",
        "start",
        "queue",
        "parent",
        "at",
        "cycle",
        "k-value",
        "pools",
        "pool",
        "default-pools",
    ];
    prop_oneof![
        4 => proptest::sample::select(names.to_vec()).prop_map(|n| Segment::Field(n.to_string())),
        1 => crate::support::text().prop_map(Segment::Named),
        2 => (0u32..4).prop_map(Segment::At),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    let path = || proptest::collection::vec(segment(), 0..5).prop_map(Path);
    let list = proptest::sample::select(vec!["queues", "nodes", "jobs", "timeline", "pools"]);
    let element = (list, 0u32..4).prop_map(|(list, i)| Path::default().field(list).at(i));
    let place = || prop_oneof![1 => path(), 3 => element.clone()];
    prop_oneof![
        (path(), crate::support::text()).prop_map(|(at, value)| Edit::Set { at, value }),
        (place(), crate::support::text()).prop_map(|(at, to)| Edit::Rename { at, to }),
        place().prop_map(|at| Edit::Remove { at }),
        place().prop_map(|at| Edit::Duplicate { at }),
        (place(), crate::support::text()).prop_map(|(at, before)| Edit::MovePool { at, before }),
        (crate::support::text(), proptest::option::of(crate::support::text()))
            .prop_map(|(name, parent)| Edit::AddQueue { name, parent }),
        (place(), proptest::option::of(crate::support::text()), proptest::option::of(crate::support::text()))
            .prop_map(|(at, parent, before)| Edit::MoveQueue { at, parent, before }),
    ]
}

proptest! {
    #[test]
    fn written_scenarios_read_back(s in crate::support::scenario()) {
        let yaml = to_yaml(&s);
        let back = read(&yaml);
        prop_assert_eq!(&back.diagnostics, &vec![], "{}", yaml);
        prop_assert_eq!(back.scenario.as_ref(), Some(&s), "{}", yaml);
        let json = to_json(&s);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{}", json);
        let back = read(&json);
        prop_assert_eq!(&back.diagnostics, &vec![], "{}", json);
        prop_assert_eq!(back.scenario, Some(s), "{}", json);
    }

    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        let _ = read(&text);
        let _ = read(&format!("{{{text}"));
        let _ = read(&format!("format: fairground-scenario\nversion: 1\n{text}"));
    }

    #[test]
    fn damaged_files_are_answered(s in crate::support::scenario(), cut in 0.0..1.0f64, c in any::<char>(), json in any::<bool>()) {
        let text = if json { to_json(&s) } else { to_yaml(&s) };
        let mut chars: Vec<char> = text.chars().collect();
        let at = (chars.len() as f64 * cut) as usize;
        chars[at] = c;
        let damaged: String = chars.iter().collect();
        for text in [damaged, chars[..at].iter().collect()] {
            let answer = read(&text);
            if let Some(s) = answer.scenario {
                let mut found = check(&s).diagnostics;
                locate(&text, &mut found);
            } else {
                prop_assert!(!answer.diagnostics.is_empty());
            }
        }
    }

    #[test]
    fn any_scenario_is_checked_and_its_fixes_apply(s in crate::support::scenario()) {
        let checked = check(&s);
        let errors = checked.diagnostics.iter().any(|d| d.severity == Severity::Error);
        prop_assert_eq!(checked.plan.is_none(), errors);
        for found in checked.diagnostics {
            if let Some(fix) = found.fix {
                let mended = apply(&s, &fix.edits);
                prop_assert!(mended.is_ok(), "{} {:?}", found.says, mended);
            }
        }
    }

    #[test]
    fn any_edit_is_answered(s in crate::support::scenario(), edits in proptest::collection::vec(edit(), 1..4)) {
        let before = s.clone();
        if let Ok(after) = apply(&s, &edits) {
            let _ = check(&after);
            if let [Edit::Set { at, value }] = edits.as_slice()
                && !value.contains(',') && value.trim() == value && !value.is_empty()
            {
                let got = get(&after, at);
                // A label without a value is written with an equals sign.
                let label = Some(format!("{value}="));
                prop_assert!(got.as_ref() == Some(value) || got == label, "{:?}", got);
            }
        }
        prop_assert_eq!(before, s);
    }
}

#[test]
fn plausible_scenarios_run() {
    for (queues, nodes, jobs) in [(3, 2, 4), (8, 8, 20), (24, 64, 100), (110, 500, 1000)] {
        let s = crate::support::plausible(queues, nodes, jobs);
        let checked = check(&s);
        assert!(checked.plan.is_some(), "{:?}", checked.diagnostics);
    }
}
