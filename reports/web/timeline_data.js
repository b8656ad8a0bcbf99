// SPDX-License-Identifier: Apache-2.0
// The columns of the page (timeline_data.h) as slices with numbers of their own, track by track.

// A loop, as from() with a function is slow.
function filled(array, valueOf) {
  for (let i = 0; i < array.length; ++i) array[i] = valueOf(i);
  return array;
}

// Values of differences from the one before, the first from 0.
function summed(array, differences) {
  let value = 0;
  return filled(array, (i) => (value += differences[i]));
}

// Texts of [characters shared with the text before, the others] each.
function frontDecoded(items) {
  let characters = [];
  return items.map(([shared, rest]) => {
    characters = [...characters.slice(0, shared), ...rest];
    return characters.join("");
  });
}

// {items, tracks, lines, launches}. `items`: of a slice by its number, its times, its look (a number
// too), and the kernel's row or -1. A track's slices are sorted, none overlaps another, and their
// numbers start at `first`. `launches`: the slices of a row by its key, in the order of time.
export function decodeTimeline(data, run) {
  const count = data.tracks.reduce((sum, track) => sum + track.start_ns.length, 0);
  const [start, end, latency] = [0, 1, 2].map(() => new Float64Array(count));
  const [name, call, within] = [0, 1, 2].map(() => new Int32Array(count).fill(-1));
  const bytes = new Map();
  latency.fill(-1);
  let first = 0;
  const tracks = data.tracks.map(({start_ns: starts, duration_ns: durations, ...track}) => {
    const last = first + starts.length;
    const own = (array) => array.subarray(first, last);
    const slices = {start: summed(own(start), starts), end: own(end)};
    filled(slices.end, (i) => slices.start[i] + durations[i]);
    own(name).set(track.name);
    if (track.within) {
      let others = 0;
      summed(own(call), track.call).forEach((of, i) => {
        if (of < 0) latency[first + i] = track.launch_latency_ns[others++];
      });
      summed(own(within), track.within);
    }
    for (const [i, size] of Object.entries(track.bytes ?? {})) bytes.set(first + Number(i), size);
    const {kind, label, device, ground} = track;
    const decoded = {kind, label, device, ground, slices, first};
    first = last;
    return decoded;
  });
  for (let n = 0; n < count; ++n) {
    if (call[n] >= 0) latency[n] = Math.max(0, start[n] - start[call[n]]);
  }
  const {names} = data;
  const stacks = frontDecoded(data.stacks);
  const row = filled(new Int32Array(count), (n) => (
    typeof names[name[n]][1] === "number" ? names[name[n]][1] : -1));
  const items = {
    start, end, row,
    look: filled(new Uint16Array(count), (n) => names[name[n]][0]),
    text: (n) => run.rows[row[n]]?.short ?? names[name[n]][1] ?? "a kernel beyond the page's rows",
    bytes: (n) => bytes.get(n) ?? 0,
    latency: (n) => latency[n],
    call: (n) => call[n],
    within: (n) => stacks[within[n]] ?? "",
  };
  const launches = new Map();
  for (let n = 0; n < count; ++n) {
    if (row[n] < 0) continue;
    const key = String(row[n]);
    if (!launches.has(key)) launches.set(key, []);
    launches.get(key).push(n);
  }
  for (const list of launches.values()) list.sort((a, b) => start[a] - start[b]);
  const lines = data.lines.map((line) => ({
    kind: "line", label: line.label, ground: true, y: line.y,
    slices: {start: summed(new Float64Array(line.y.length), line.time_ns)}}));
  return {items, tracks, lines, launches};
}
