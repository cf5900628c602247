//! Saturation ratios and states of queues in Shares, Trends and WHY.

use crate::whole::Whole;
use expect_test::expect;
use fairground::units::{Resource, ShownResource};
use fairground::words::{self, Selection};
use fairground_web::chart::table::Table;
use fairground_web::engine::report::Report;
use fairground_web::state::command::Command;
use fairground_web::state::layout::options::NowView;
use fairground_web::views::trends::view::Measure;
use fairground_web::views::{division, shares, trends};

fn lines(table: &Table, columns: &[&str]) -> String {
    let is = |head: &String, name: &str| head.split(',').next() == Some(name);
    let at = |name: &&str| table.head.iter().position(|head| is(head, name)).expect("a column");
    let at: Vec<usize> = columns.iter().map(at).collect();
    let row = |row: &Vec<String>| at.iter().map(|at| row[*at].clone()).collect::<Vec<_>>().join(" | ") + "\n";
    table.rows.iter().map(row).collect()
}

fn shares_of(example: &str, cycle: u32) -> Table {
    let whole = Whole::open(example, cycle);
    shares::view::table(&shares::view::shares(whole.frame(), None, None, ShownResource::GPU, &[]))
}

fn trends_of(example: &str, cycle: u32, measure: Measure) -> trends::view::TrendsView {
    let mut whole = Whole::open(example, cycle);
    whole.dispatch(Command::ShowView(NowView::Trends));
    let Some(Report::Trends(series)) = whole.model.moment.report.as_deref() else { panic!("a report") };
    let run = whole.model.moment.run.as_deref().expect("a run");
    trends::view::trends(series, run, whole.frame(), None, (ShownResource::GPU, measure))
}

#[test]
fn shares_have_the_ratio_and_the_state() {
    let kai = shares_of("reclaim-multiplier", 1);
    expect![[r#"
        cluster | 8 | – | –
        research | 4 | 4 | 1.00
        vision | 1 | 2 | 0.50
        language | 3 | 3 | 1.00
        product | 4 | 2 | 2.00
        search | 4 | 2 | 2.00
    "#]]
    .assert_eq(&lines(&kai, &["queue", "allocated", "fair share", "saturation ratio"]));
    let runai = shares_of("runai-low-takes-high", 0);
    expect![[r#"
        cluster | 8 | – | –
        research | 8 | 1.00 | in-quota
        vision | 6 | 1.00 | over-quota
        speech | 2 | 1.00 | in-quota
    "#]]
    .assert_eq(&lines(&runai, &["project", "allocated", "saturation ratio", "state"]));
    assert!(!shares_of("ego-eighteen-slots", 1).head.contains(&"saturation ratio".to_string()));
}

#[test]
fn trends_have_the_ratio_and_the_state() {
    let view = trends_of("runai-low-takes-high", 3, Measure::Ratio);
    expect!["3 projects, all on one scale: 0 to 1 × fair share, cycles 0 to 3."].assert_eq(&view.summary);
    expect![[r#"
        research | 0 | 1.00 | in-quota
        research | 1 | 0.75 | in-quota
        research | 2 | 1.00 | in-quota
        vision | 0 | 1.00 | over-quota
        vision | 1 | 1.00 | over-quota
        vision | 2 | 1.00 | over-quota
        speech | 0 | 1.00 | in-quota
        speech | 1 | 0.50 | in-quota
        speech | 2 | 1.00 | over-quota
    "#]]
    .assert_eq(&lines(&view.table, &["project", "from cycle", "saturation ratio", "state"]));
    let amounts = trends_of("runai-low-takes-high", 3, Measure::Amounts);
    expect![[r#"
        research | 0 | 8 | in-quota
        research | 1 | 6 | in-quota
        research | 2 | 8 | in-quota
        vision | 0 | 6 | over-quota
        vision | 1 | 4 | over-quota
        vision | 2 | 4 | over-quota
        speech | 0 | 2 | in-quota
        speech | 1 | 2 | in-quota
        speech | 2 | 4 | over-quota
    "#]]
    .assert_eq(&lines(&amounts.table, &["project", "from cycle", "allocated", "state"]));
    assert!(!trends_of("start", 2, Measure::Ratio).has_states());
    assert_eq!(trends_of("tenants-and-offsets", 2, Measure::Ratio).measure, Measure::Amounts);
}

/// A queue can have less than its sibling, request more, and gain nothing by reclaim.
#[test]
fn why_says_which_sibling_has_more_and_keeps_it() {
    let whole = Whole::open("tree-decides", 4);
    let about = Selection::Queue("nlp".into());
    let verdict = words::why(whole.frame(), None, &about, None, Resource::GPU).verdict.spoken();
    expect!["nlp uses 2 GPUs, its whole share, and requests 3. Its sibling vision uses 3 of its own fair share of 3, so nlp cannot reclaim any from it."].assert_eq(&verdict);
    let about = Selection::Queue("vision".into());
    let verdict = words::why(whole.frame(), None, &about, None, Resource::GPU).verdict.spoken();
    expect!["vision uses 3 GPUs, 1 over its quota of 2, within its fair share of 3."].assert_eq(&verdict);
}

#[test]
fn why_has_both_sides_of_a_reclaim() {
    let whole = Whole::open("runai-low-takes-high", 1);
    let event = whole.frame().events.iter().position(|event| event.word().is_eviction()).expect("an eviction");
    let event = Selection::Event { cycle: 1, index: event as u32 };
    let rows = words::why(whole.frame(), None, &event, None, Resource::GPU).evidence.expect("numbers").rows;
    let ratios = rows.iter().filter(|(name, ..)| name.starts_with("saturation ratio"));
    let lines: String = ratios.map(|(name, sides, _)| format!("{name}: {}\n", sides.join(", "))).collect();
    expect![[r#"
        saturation ratio after: , 0.75
    "#]]
    .assert_eq(&lines);
}

/// The multiplier is shown beside the ratio that it makes too large.
#[test]
fn why_says_the_multiplier_that_prevents_a_reclaim() {
    let whole = Whole::open("reclaim-multiplier", 1);
    let why = words::why(whole.frame(), None, &Selection::Job("vision-2".into()), None, Resource::GPU);
    expect!["`vision-2` is waiting: no GPU is free, and no eviction that the rules allow frees enough (4 combinations tried). `research` would be at least as saturated as `product` (allocated / fair share: 1.25 × 1.2 = 1.50 against 1.50; reclaimerUtilizationMultiplier is 1.2)."].assert_eq(&why.verdict.to_string());
}

#[test]
fn past_usage_is_a_number_and_a_line() {
    let table = shares_of("past-counts", 1);
    expect![[r#"
        cluster | –
        team-a | 60
        team-b | 10
    "#]]
    .assert_eq(&lines(&table, &["queue", "past usage"]));
    let view = trends_of("usage-fades", 40, Measure::Usage);
    expect!["2 queues, all on one scale: 0 to 100 % of the cluster, cycles 0 to 40."].assert_eq(&view.summary);
    expect![[r#"
        early: past usage 67.19 now; between 0 and 100 in the run
        late: past usage 32.81 now; between 0 and 32.81 in the run
    "#]]
    .assert_eq(&view.tiles.iter().map(|tile| format!("{}\n", tile.says)).collect::<String>());
}

/// The measured usage, k and the weight before and after, below the result of Division and in the derivation.
#[test]
fn past_usage_and_k_stand_beside_the_weights() {
    let mut whole = Whole::open("past-counts", 1);
    let about = Selection::Queue("team-a".into());
    whole.dispatch(Command::Select(Some(about.clone())));
    whole.dispatch(Command::ShowView(NowView::Division));
    let ladder = whole.model.moment.ladder.as_deref().expect("it is derived");
    let view = division::view::division(whole.frame(), &ladder.levels[0], Resource::GPU, usize::MAX);
    let rows: String = view.table.rows.iter().map(|row| row.join(" | ") + "\n").collect();
    expect![[r#"
        before |  |  | 8
        quotas granted | +0 | +0 | 8
        priority 100, round 1 | 8 × 0.4/1.3 = 2.46 → 2 | 8 × 0.9/1.3 = 5.54 → 5 | 1
        1 GPU left over goes to team-b, which lost most to rounding (0.54) | – | +1 | 0
        fair share | 2 | 6 | 0
        past usage | 60 % | 10 % | 
        weight before → after, k 1 | 1 → 0.62 | 1 → 1.38 | 
    "#]]
    .assert_eq(&rows);
    let why = words::why(whole.frame(), None, &about, Some(ladder), Resource::GPU);
    let steps: String =
        why.ladder.iter().map(|step| format!("{} | {} | {}\n", step.text.spoken(), step.sum, step.value)).collect();
    expect![[r#"
        The cluster has |  | 8 GPUs
        team-a: quota actually requested | smaller of quota 0 and requested 8 | 0
        team-b: quota actually requested | smaller of quota 0 and requested 8 | 0
        remains after quotas | 8 − 0 | 8
        team-a: round 1, weight 1 → 0.62 of 2 (past usage 60 %, k 1: share 0.5 + 1 × (0.5 − 0.6) = 0.4 of 1.3) | 8 × 0.4 / 1.3 = 2.46, rounded down | + 2
        team-b: round 1, weight 1 → 1.38 of 2 (past usage 10 %, k 1: share 0.5 + 1 × (0.5 − 0.1) = 0.9 of 1.3) | 8 × 0.9 / 1.3 = 5.54, rounded down | + 5
        team-b: remaining unit | lost 0.54 to rounding; the largest fraction wins, then the oldest queue | + 1
        fair share of team-a |  | 2 GPUs
    "#]].assert_eq(&steps);
}
