//! The rows that a selection marks.

use fairground::words::Selection;

use crate::engine::protocol::Frame;

/// The queue of the selection.
pub fn selected_queue(frame: &Frame, selection: Option<&Selection>) -> Option<u32> {
    match selection? {
        Selection::Queue(name) => frame.queues.iter().position(|queue| queue.name == *name).map(|i| i as u32),
        Selection::Job(name) => frame.jobs.iter().find(|job| job.name == *name).map(|job| job.queue),
        Selection::Event { cycle, index } if *cycle == frame.cycle => {
            frame.events.get(*index as usize).and_then(|event| Some(frame.queue_of(event)?.0))
        }
        _ => None,
    }
}

/// The selection and its owners: the job of an event, the queue of a job.
pub fn selection_closure(frame: Option<&Frame>, selection: Option<&Selection>) -> Vec<Selection> {
    let mut all: Vec<Selection> = selection.into_iter().cloned().collect();
    let (Some(frame), Some(selection)) = (frame, selection) else { return all };
    if let Selection::Event { cycle, index } = selection
        && *cycle == frame.cycle
        && let Some(event) = frame.events.get(*index as usize)
        && let Some(job) = frame.job_of(event)
    {
        all.push(Selection::Job(frame.job(job).to_string()));
    }
    let queue = selected_queue(frame, Some(selection)).and_then(|at| frame.queues.get(at as usize));
    if let Some(queue) = queue.map(|queue| Selection::Queue(queue.name.clone()))
        && !all.contains(&queue)
    {
        all.push(queue);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::protocol::EventWord;
    use crate::fixtures;

    #[test]
    fn an_event_points_to_its_job_and_queue() {
        let frame = fixtures::reclaimed();
        let index = frame.events.iter().position(|e| e.word() == EventWord::Reclaimed).expect("it is about one");
        let event = Selection::Event { cycle: frame.cycle, index: index as u32 };
        let queue = frame.queue(frame.queue_of(&frame.events[index]).expect("a queue")).to_string();
        let job = Selection::Job(frame.job_name(&frame.events[index]).to_string());
        assert_eq!(
            selection_closure(Some(&frame), Some(&event)),
            [event, job.clone(), Selection::Queue(queue.clone())]
        );
        let of_queue = Selection::Queue(queue);
        assert_eq!(selection_closure(Some(&frame), Some(&of_queue)).len(), 1);
        assert_eq!(selection_closure(None, Some(&job)), [job]);
        assert_eq!(selection_closure(Some(&frame), None), []);
    }
}
