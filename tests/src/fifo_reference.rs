//! Independent reference implementation of first in, first out with hard partitions, which shares no code with the
//! engine.
//!
//! Nodes have eight GPUs, and each queue has its own nodes. Jobs of a queue start strictly in submission order. A job
//! of up to eight GPUs goes to the node with the fewest free GPUs on which it fits, the first among equals; larger jobs
//! take empty nodes.

pub const NODE_GPUS: u32 = 8;

/// A job; times in seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Index of its queue.
    pub queue: usize,
    /// Submission time.
    pub submit: i64,
    /// Runtime.
    pub duration: i64,
    /// GPUs of the whole job: at most eight, or a multiple of eight.
    pub gpus: u32,
}

/// Start time of each job; `nodes` is the number of nodes per queue.
pub fn starts(rows: &[Row], nodes: &[u32]) -> Vec<i64> {
    let mut starts = vec![0; rows.len()];
    for (queue, &n) in nodes.iter().enumerate() {
        let mut order: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].queue == queue).collect();
        order.sort_by_key(|&i| (rows[i].submit, i));
        let mut free = vec![NODE_GPUS; n as usize];
        let mut running: Vec<(i64, Vec<usize>, u32)> = Vec::new();
        let mut now = i64::MIN;
        for i in order {
            let row = &rows[i];
            now = now.max(row.submit);
            loop {
                running.retain(|(end, on, each)| {
                    let runs = *end > now;
                    on.iter().filter(|_| !runs).for_each(|&node| free[node] += each);
                    runs
                });
                let each = row.gpus.min(NODE_GPUS);
                if let Some(on) = place(&free, row.gpus) {
                    on.iter().for_each(|&node| free[node] -= each);
                    running.push((now + row.duration, on, each));
                    break;
                }
                now = running.iter().map(|job| job.0).min().expect("no job is larger than its queue");
            }
            starts[i] = now;
        }
    }
    starts
}

fn place(free: &[u32], gpus: u32) -> Option<Vec<usize>> {
    if gpus <= NODE_GPUS {
        let fits = (0..free.len()).filter(|&node| free[node] >= gpus);
        return fits.min_by_key(|&node| (free[node], node)).map(|node| vec![node]);
    }
    let empty: Vec<usize> = (0..free.len()).filter(|&node| free[node] == NODE_GPUS).collect();
    empty.get(..(gpus / NODE_GPUS) as usize).map(<[usize]>::to_vec)
}

/// Random jobs in submission order: arrivals a few minutes apart, most jobs short and small, some of several nodes.
pub fn generated(seed: u64, n: usize, nodes: &[u32]) -> Vec<Row> {
    let mut state = seed;
    // SplitMix64 (Steele, Lea, Flood 2014).
    let mut below = |n: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    };
    let sizes = [1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 24];
    let mut submit = 0;
    let mut row = |_| {
        submit += i64::try_from(below(600)).expect("small");
        let queue = usize::try_from(below(nodes.len() as u64)).expect("small");
        let scale = [60, 600, 3_600, 14_400][usize::try_from(below(4)).expect("small")];
        let duration = 1 + i64::try_from(below(scale)).expect("small");
        let size = sizes[usize::try_from(below(sizes.len() as u64)).expect("small")];
        Row { queue, submit, duration, gpus: size.min(nodes[queue] * NODE_GPUS) }
    };
    (0..n).map(&mut row).collect()
}
