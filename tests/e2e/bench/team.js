// A scenario of the size of a team: 24 queues, 64 nodes, 100 jobs. The same seed gives the same text.

/** Numbers from 0 to 1, the same for a seed on every machine. */
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

/** Four departments of five teams each; their jobs come and go, half of them wait for somebody else's GPUs. */
export function team(seed) {
  const random = dice(seed);
  const among = (values) => values[Math.floor(random() * values.length)];
  const lines = [
    "format: fairground-scenario",
    "version: 1",
    `name: Team of seed ${seed}`,
    "policy: kai",
    "cycle: 1s",
    "nodes:",
    "- {name: node, count: 64, gpu: 8}",
    "queues:",
  ];
  const leaves = [];
  for (let d = 1; d <= 4; d++) {
    lines.push(`- {name: dep-${d}, gpu: {quota: 128, limit: unlimited, weight: 1}, ${UNBOUNDED}}`);
    for (let t = 1; t <= 5; t++) {
      const name = `team-${d}-${t}`;
      const quota = among([8, 16, 24, 32]);
      lines.push(
        `- {name: ${name}, parent: dep-${d}, gpu: {quota: ${quota}, limit: unlimited, weight: ${among([1, 1, 2, 3])}}, ${UNBOUNDED}}`,
      );
      leaves.push(name);
    }
  }
  lines.push("jobs:");
  for (let j = 1; j <= 100; j++) {
    const gang = among(["pods: 1, gpu: 8", "pods: 2, gpu: 8", "pods: 4, gpu: 4", "pods: 8, gpu: 1", "pods: 4, gpu: 0.5"]);
    const submit = Math.floor(j * 0.6);
    // Early jobs come from two departments alone, so that later ones must take from them.
    const queue = leaves[Math.floor(random() * (j <= 50 ? 10 : 20))];
    lines.push(
      `- {name: j${j}, queue: ${queue}, submit: ${submit}s, lasts: ${20 + Math.floor(random() * 60)}s, ` +
        `priority: ${among([50, 50, 75, 100])}, ${gang}}`,
    );
  }
  return `${lines.join("\n")}\n`;
}
