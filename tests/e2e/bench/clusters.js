// Generated scenarios of several sizes, deterministic for a seed.

/** Returns a generator of numbers from 0 to 1 that is deterministic on every machine. */
export function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const UNBOUNDED = "cpu: {quota: unlimited, limit: unlimited, weight: 1}, memory: {quota: unlimited, limit: unlimited, weight: 1}";

/** 24 queues, 64 nodes, 100 jobs. */
export const TEAM = { name: "Team", nodes: 64, teams: 5, jobs: 100, between: 0.6 };
/** 20 queues, 100 nodes, 500 jobs. */
export const HOUSE = { name: "House", nodes: 100, teams: 4, jobs: 500, between: 0.15 };
/** 5,000 nodes of eight GPUs. */
export const HALL = { name: "Hall", nodes: 5000, teams: 4, jobs: 400, between: 0.05, pods: 30 };

/** Returns a scenario with four departments of several teams. Jobs come and go; half of them wait for GPUs used by other teams. */
export function cluster({ name, nodes, teams, jobs, between, pods = 1 }, seed) {
  const random = dice(seed);
  const among = (values) => values[Math.floor(random() * values.length)];
  const scale = nodes / 64;
  const lines = [
    "format: fairground-scenario",
    "version: 1",
    `name: ${name} of seed ${seed}`,
    "policy: kai",
    "cycle: 1s",
    "nodes:",
    `- {name: node, count: ${nodes}, gpu: 8}`,
    "queues:",
  ];
  const leaves = [];
  for (let d = 1; d <= 4; d++) {
    const quota = Math.round(128 * scale);
    lines.push(`- {name: dep-${d}, gpu: {quota: ${quota}, limit: unlimited, weight: 1}, ${UNBOUNDED}}`);
    for (let t = 1; t <= teams; t++) {
      const name = `team-${d}-${t}`;
      const quota = Math.round(among([8, 16, 24, 32]) * scale);
      lines.push(
        `- {name: ${name}, parent: dep-${d}, gpu: {quota: ${quota}, limit: unlimited, weight: ${among([1, 1, 2, 3])}}, ${UNBOUNDED}}`,
      );
      leaves.push(name);
    }
  }
  lines.push("jobs:");
  for (let j = 1; j <= jobs; j++) {
    const [n, gpu] = among([
      [1, 8],
      [2, 8],
      [4, 4],
      [8, 1],
      [4, 0.5],
    ]);
    const submit = Math.floor(j * between);
    // Early jobs come from two departments only, so that later jobs must reclaim GPUs from them.
    const queue = leaves[Math.floor(random() * (j <= jobs / 2 ? leaves.length / 2 : leaves.length))];
    lines.push(
      `- {name: j${j}, queue: ${queue}, submit: ${submit}s, lasts: ${20 + Math.floor(random() * 60)}s, ` +
        `priority: ${among([50, 50, 75, 100])}, pods: ${n * pods}, gpu: ${gpu}}`,
    );
  }
  return `${lines.join("\n")}\n`;
}
