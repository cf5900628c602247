//! What the queues of the highest level with several hold in each of several runs over time, on one scale.

use fairground::sim::Ran;
use fairground::words::number::{time, unit};
use fairground::words::resource_time;
use plotters::element::{PathElement, Polygon};

use super::view::{resource, runs};
use crate::chart::backend::{Size, picture, px};
use crate::chart::marks;
use crate::chart::paint::{Ink, Paint};
use crate::chart::queue_tree::{Tone, Tree};
use crate::engine::protocol::{Compared, QueueRow};

/// Size of a picture; pages stretch it to the width that they have.
const SIZE: Size = Size { width: 720.0, height: 64.0 };

/// The course of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct CourseView {
    /// The queues with their colours and the amounts that they hold in each step.
    pub bands: Vec<(String, Tone, Vec<f64>)>,
    /// Where each step begins and where the last one ends, as a part of the time of all runs.
    starts: Vec<f64>,
    /// The largest amount of all runs.
    most: f64,
    /// Where the run begins to differ from the first one, as a part of that time.
    difference: Option<f64>,
    /// The amounts at the end, for screen readers.
    pub says: String,
}

/// The scale of all runs: how long they take, in milliseconds, and the most that is held at once.
fn scale(all: &[Compared]) -> (f64, f64) {
    let most_of = |run: &Ran| run.course.iter().map(|(_, held)| held.iter().sum()).fold(0.0, f64::max);
    let until = runs(all).map(|run| run.summary.until.as_millis()).max().unwrap_or_default();
    (until.max(1) as f64, runs(all).map(most_of).fold(0.0, f64::max))
}

/// *0:00*, *up to 12 GPUs*, *3:01*: what stands below the pictures.
pub fn axis(all: &[Compared]) -> [String; 3] {
    let (until, most) = scale(all);
    let resource = resource(all);
    let unit = unit(resource, resource_time::in_units(resource, most));
    [time(0), format!("up to {} {unit}", resource_time::held(resource, most)), time(until as i64)]
}

/// The course of a run; queues and their colours are those of the page. `None` if it cannot run.
pub fn course(column: &Compared, all: &[Compared], queues: &[QueueRow]) -> Option<CourseView> {
    let run = column.run.as_ref()?;
    let tree = Tree::new(queues);
    let (until, most) = scale(all);
    let tone = |name: &str| {
        let position = queues.iter().position(|queue| queue.name == name);
        position.map_or(Tone::default(), |at| tree.tone(at as u32))
    };
    let bands = run.level.iter().enumerate().map(|(at, &queue)| {
        let name = run.queues.get(queue as usize).map_or(String::new(), |name| name.to_string());
        let amounts = run.course.iter().map(|(_, held)| held.get(at).copied().unwrap_or(0.0));
        (name.clone(), tone(&name), amounts.collect())
    });
    let bands: Vec<(String, Tone, Vec<f64>)> = bands.collect();
    let part = |ms: i64| (ms as f64 / until).clamp(0.0, 1.0);
    let starts = run.course.iter().map(|(time, _)| part(time.as_millis()));
    let last = |amounts: &[f64]| resource_time::held(run.resource, amounts.last().copied().unwrap_or(0.0));
    let held = bands.iter().map(|(name, _, amounts)| format!("{name} {}", last(amounts)));
    Some(CourseView {
        says: format!("{} at the end: {}", resource_time::plural(run.resource), held.collect::<Vec<_>>().join(", ")),
        starts: starts.chain([part(run.summary.until.as_millis())]).collect(),
        most,
        difference: column.first_difference.as_ref().map(|found| part(found.time.as_millis())),
        bands,
    })
}

/// Draws a course: stacked areas, and a line where the run begins to differ. `id` is unique on the page.
pub fn draw(view: &CourseView, id: &str) -> String {
    let Size { width, height } = SIZE;
    let svg = picture(id, SIZE, |area| {
        let y = |amount: f64| height - 1.0 - amount / view.most.max(1e-9) * (height - 2.0);
        let n = view.starts.len().saturating_sub(1);
        let mut sums = vec![0.0; n];
        let mut layers: Vec<(Paint, Vec<f64>)> = Vec::new();
        for (_, tone, amounts) in &view.bands {
            sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += amount);
            layers.push((marks::solid(*tone), sums.clone()));
        }
        // The highest sums first: lower ones cover them.
        for (paint, sums) in layers.iter().rev() {
            let steps = sums
                .iter()
                .enumerate()
                .flat_map(|(i, sum)| [i, i + 1].map(|at| (px(view.starts[at] * width), px(y(*sum)))));
            let ground = [n, 0].map(|at| (px(view.starts.get(at).copied().unwrap_or(0.0) * width), px(height)));
            area.draw(&Polygon::new(steps.chain(ground).collect::<Vec<_>>(), paint.area()))?;
        }
        if let Some(at) = view.difference {
            let x = px((at * width).clamp(1.0, width - 1.0));
            area.draw(&PathElement::new(vec![(x, 0), (x, px(height))], Paint::from(Ink::Panel).line(4.0)))?;
            area.draw(&PathElement::new(vec![(x, 0), (x, px(height))], Paint::from(Ink::Ink).line(2.0)))?;
        }
        Ok(())
    });
    svg.replacen("<svg ", "<svg preserveAspectRatio=\"none\" ", 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground::sim::Summary;
    use fairground::time::Time;
    use fairground::units::Resource;

    fn ran(course: &[(i64, [f64; 2])], until: i64) -> Compared {
        let run = Ran {
            summary: Summary { until: Time::from_millis(until), ..Summary::default() },
            queues: vec!["a".into(), "b".into()],
            held: vec![0.0; 2],
            level: vec![0, 1],
            course: course.iter().map(|(at, held)| (Time::from_millis(*at), held.to_vec())).collect(),
            is_over: false,
            resource: Resource::GPU,
            n_waiting: 0,
            moves: Vec::new(),
        };
        Compared { run: Some(run), ..Compared::default() }
    }

    #[test]
    fn all_runs_have_one_scale() {
        let all = [ran(&[(0, [1.0, 2.0]), (1000, [4.0, 0.0])], 2000), ran(&[(0, [5.0, 1.0])], 4000)];
        let view = course(&all[0], &all, &[]).expect("it runs");
        assert_eq!((view.starts.as_slice(), view.most), (&[0.0, 0.25, 0.5][..], 6.0));
        assert_eq!(view.says, "GPUs at the end: a 4, b 0");
        assert_eq!(axis(&all), ["0:00", "up to 6 GPUs", "0:04"]);
        assert_eq!(course(&Compared::default(), &all, &[]), None);
        assert!(draw(&view, "c").contains("<polygon"));
    }
}
