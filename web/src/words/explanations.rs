//! Ten complete explanations of different kinds, as a reader sees them.

use expect_test::expect;

use super::tests::{job_at, real};

/// The event or the reason for waiting, and what happens next, for one decision of each kind.
#[test]
fn ten_explanations_are_clear_at_first_reading() {
    let said = |(id, cycle, job): (&str, u32, &str)| {
        let explanation = job_at(&real(id, cycle), job);
        format!("{id} {job}: {}\n  Next: {}\n", explanation.verdict, explanation.outlook)
    };
    let text: String = [
        ("start", 1, "a2"),
        ("ten-promised-seven-there", 1, "b3"),
        ("may-not-borrow", 1, "build-2"),
        ("min-runtime-on", 1, "b1"),
        ("department-empty", 2, "v2"),
        ("gang-of-four", 1, "gang"),
        ("quota-is-a-floor", 1, "b1"),
        ("quota-is-a-floor", 2, "a5"),
        ("tenants-and-offsets", 1, "normal-P2"),
        ("ego-eighteen-slots", 1, "b-9"),
    ]
    .map(said)
    .concat();
    expect![[r#"
        start a2: `a2` was evicted so that `b2` can run. `team-a` was using 3 GPUs, 1 over its fair share of 2; with `b2`, `team-b` uses exactly its fair share of 2.
          Next: `a2` shuts down and goes back to waiting in `team-a`.
        ten-promised-seven-there b3: `b3` is waiting: no GPU is free, and no eviction that the rules allow frees enough (5 combinations tried). `team-a` uses 5 GPUs, which is within its quota and fair share of 5 GPUs.
          Next: Nothing more will happen. Change something to go on.
        may-not-borrow build-2: `build-2` is non-preemptible, and `team-a` already uses its whole quota of 1 GPU for non-preemptible jobs. Non-preemptible jobs cannot run over quota, even when resources are free.
          Next: It can start when `build-1` ends. That job has no end time, so this needs a change.
        min-runtime-on b1: `b1` is waiting: no GPU is free, and `a1`, `a2`, `a3` and `a4` are protected by their minimum runtime (until 4:35).
          Next: At 4:35 the protection ends. From the next cycle on, the protected jobs can be evicted.
        department-empty v2: `v2` is waiting: no GPU is free, and no eviction that the rules allow frees enough (7 combinations tried). `research`, the parent of `vision`, would use 3 GPUs with it, over its quota of 0; `product` uses 6 GPUs, which is within its quota of 8 GPUs.
          Next: It can start when 1 GPU is free, unless another job comes first.
        gang-of-four gang: `gang` is waiting: it needs 4 GPUs and only 3 were free, and `team-a` cannot reclaim for it: with `gang`, it would use 6 GPUs, over its fair share of 4.
          Next: It can start when 4 GPUs are free for its 4 pods, or when `team-a` is entitled to more.
        quota-is-a-floor b1: `b1` is waiting for `a8` to shut down and has claimed its place.
          Next: It can start in the next cycle (0:02), unless another job comes first.
        quota-is-a-floor a5: `a5` is waiting: no GPU is free, and `team-a` cannot reclaim for it: with `a5`, it would use 5 GPUs, over its fair share of 4.
          Next: It can start when 1 GPU is free, or when `team-a` is entitled to more.
        tenants-and-offsets normal-P2: `normal-P2` is waiting behind `high-P1` in `system-high`, which was served in this cycle: `system-high` came before `system-normal` in `system` (priority 1,001 against 10).
          Next: The scheduler tries it again in the next cycle.
        ego-eighteen-slots b-9: `b-9` was reclaimed so that `c-1` can run. `B` used 50 % of the pool, above its share usage quota of 44.4 %; `C` used 0 %, below its 11.1 %.
          Next: `b-9` shuts down and goes back to waiting in `B`.
    "#]]
    .assert_eq(&text);
}
