//! The rounds of a division, as the page draws them, add up.

use crate::whole::Whole;
use fairground::words::Selection;
use fairground::words::number::in_unit;
use fairground_web::engine::protocol::LadderLevel;
use fairground_web::library::EXAMPLES;
use fairground_web::state::command::Command;
use fairground_web::state::layout::options::NowView;
use fairground_web::views::division::view::division;

/// The amount that the explained queue receives at a level; checks every step of it.
fn check_level(whole: &Whole, example: &str, level: &LadderLevel, seen: &mut u32) -> f64 {
    let resource = whole.frame().names.resource;
    let view = division(whole.frame(), level, resource, usize::MAX);
    assert_eq!(view.at, view.last);
    let quotas: f64 = view.tanks.iter().map(|tank| tank.ground).sum();
    let rounds: f64 = view.tanks.iter().map(|tank| tank.water).sum();
    let is_overdrawn = view.left < -1e-6;
    assert!(!is_overdrawn || quotas > in_unit(resource, level.capacity) && rounds == 0.0, "{example} {}", level.queue);
    let of_usage = if view.tanks.iter().any(|tank| tank.part.is_some()) { 2 } else { 0 };
    assert_eq!(view.table.rows.len(), view.last + 2 + of_usage);
    let mut before = 0.0;
    for at in 0..=view.last {
        let step = division(whole.frame(), level, resource, at);
        let held: f64 = step.tanks.iter().map(|tank| tank.ground + tank.water).sum();
        assert!(held >= before - 1e-9, "water only rises");
        before = held;
        *seen += 1;
    }
    let tank = view.tanks.iter().find(|tank| tank.own).expect("its tank");
    tank.ground + tank.water
}

#[test]
fn the_rounds_of_a_division_add_up_to_the_fair_shares() {
    let mut seen = 0;
    for example in EXAMPLES {
        let mut whole = Whole::open(example.id, 1);
        whole.dispatch(Command::ShowView(NowView::Division));
        let r = whole.frame().names.resource;
        let queues: Vec<(String, Option<f64>)> = whole
            .frame()
            .queues
            .iter()
            .filter_map(|row| {
                let share = row.fair_share.as_ref()?[r.index()];
                Some((row.name.clone(), share.map(|share| in_unit(r, share))))
            })
            .collect();
        for (queue, share) in queues {
            whole.dispatch(Command::Select(Some(Selection::Queue(queue.clone()))));
            let ladder = whole.model.ladder.clone().expect("a ladder");
            // Every pool is divided separately.
            let own: Vec<_> = ladder.levels.iter().filter(|level| level.queue == queue).collect();
            let got: f64 = own.iter().map(|level| check_level(&whole, example.id, level, &mut seen)).sum();
            let is_same = (got - share.unwrap_or(f64::MAX)).abs() < 1e-6;
            assert!(own.is_empty() || is_same, "{} {queue}: {got} {share:?}", example.id);
        }
    }
    assert!(seen > 100, "{seen} steps");
}
