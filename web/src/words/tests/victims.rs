//! Victims in their order, and those who were not chosen.

use super::*;
use fairground::units::Resource;

#[test]
fn victims_are_told_in_order_with_those_who_stay() {
    let told = |id: &str, by: &str| {
        let frame = real(id, 1);
        let index = frame
            .events
            .iter()
            .position(|event| event.by().is_some_and(|of| frame.job(of) == by))
            .expect("somebody goes for it") as u32;
        let explanation = why(&frame, None, &Selection::Event { cycle: 1, index }, None, Resource::GPU);
        let (_, mut entries) = explanation.list.unwrap_or_default();
        entries.extend(explanation.others);
        entries.iter().map(|entry| format!("{} {}\n", entry.when, entry.text)).collect::<String>()
    };
    expect![[r#"
        1. `low4`, submitted −6:36
        2. `low3`, submitted −6:37
        kept `low1`: the newest job goes first, and it is older (submitted −6:39, `low3` −6:37)
        kept `low2`: the newest job goes first, and it is older (submitted −6:38, `low3` −6:37)
    "#]]
    .assert_eq(&told("priority-inside-a-queue", "urgent"));
    expect![[r#"
        kept 2 jobs of `blue`: reclaim never evicts from the same queue
        kept `keep`: non-preemptible
    "#]]
    .assert_eq(&told("tug-of-war", "stretch"));
    expect![[r#"
        kept 1 job of `team-b`: reclaim never evicts from the same queue
        kept `a1`: the newest job goes first, and it is older (submitted −4:59, `a2` −3:19)
    "#]]
    .assert_eq(&told("start", "b2"));
}

#[test]
fn those_who_were_not_chosen_have_their_reason() {
    let frame = fixtures::departments();
    let find = |name: &str| frame.names.find(name).expect("a job");
    let (by, product) = (find("n3"), QueueId(3));
    let queue = |why: Protection| NotSelected { by, candidate: Candidate::Queue(product), why };
    let job = |name: &str, why: Protection| NotSelected { by, candidate: Candidate::Job(find(name)), why };
    let compared = |left: Term, right: Term| {
        let (other_queue, other_job) = (Some(product), Some(find("v5")));
        Check::new(a_rule(), Subject { other_queue, other_job, ..Subject::default() }, left, Op::Exceeds, right)
    };
    let share = |held: f64, bound: f64| {
        let gpus = |n: f64| Value::Triple([f64::INFINITY, f64::INFINITY, n]);
        let held = term(Quantity::AllocatedWithoutVictims, gpus(held));
        let may = term(Quantity::Allocatable, gpus(bound));
        compared(held, may.computed_from(vec![term(Quantity::FairShare, gpus(bound))]))
    };
    let priority = |n| term(Quantity::Priority, Value::Count(n));
    let runtime = term(Quantity::Runtime, Value::Real(60.0));
    let runtime = compared(runtime, term(Quantity::MinRuntime, Value::Real(300.0)));
    let told = |frame: &Frame, rows: Vec<NotSelected>| {
        let others = job_at(&Frame { not_selected: rows, ..frame.clone() }, "v4").others;
        others.into_iter().map(|entry| entry.text.to_string()).collect::<Vec<_>>().join("\n")
    };
    let rows = vec![
        queue(Protection::Failed(share(13.0, 13.0))),
        queue(Protection::Later(share(14.0, 13.0))),
        queue(Protection::NonPreemptible),
        queue(Protection::OwnQueue { jobs: 2 }),
        job("v1", Protection::NonPreemptible),
        job("v2", Protection::Core { pods: 2 }),
    ];
    expect![[r#"
        `product` uses 13 GPUs, which is within its fair share of 13 GPUs
        `product` uses 14 GPUs, over the larger of its quota and fair share, but other queues come first
        `product`: all its jobs are non-preemptible
        2 jobs of `product`: reclaim never evicts from the same queue
        `v1`: non-preemptible
        `v2`: semi-preemptible, its first 2 pods cannot be evicted"#]]
    .assert_eq(&told(&frame, rows));
    let rows = vec![
        job("v3", Protection::NotNeeded),
        job("v5", Protection::Failed(compared(priority(75), priority(50)))),
        job("v5", Protection::Failed(runtime)),
        job("r1", Protection::NotNeeded),
        NotSelected { by: find("s1"), ..queue(Protection::NonPreemptible) },
    ];
    expect![[r#"
        `v3`: not needed, enough was already freed
        `v5`: its priority 75 is not lower than 50
        `v5` has run for 1:00 and is protected until it has run for 5:00"#]]
    .assert_eq(&told(&frame, rows));
    assert_eq!(told(&frame, Vec::new()), "", "what was not recorded is not told");
}
