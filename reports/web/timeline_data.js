// SPDX-License-Identifier: Apache-2.0
// Decodes the columns of the page (timeline_data.h) into slices that are numbered track by track.

// A loop, since from() with a function is slow.
function filled(array, valueOf) {
  for (let i = 0; i < array.length; ++i) array[i] = valueOf(i);
  return array;
}

// Decodes delta-encoded values; the first is relative to 0.
function summed(array, differences) {
  let value = 0;
  return filled(array, (i) => (value += differences[i]));
}

// Decodes front-coded texts: [number of characters shared with the previous text, the rest].
function frontDecoded(items) {
  let characters = [];
  return items.map(([shared, rest]) => {
    characters = [...characters.slice(0, shared), ...rest];
    return characters.join("");
  });
}

// {items, tracks, lines, launches}. `items`: times, index of the look, and kernel row (or -1) of
// each slice by number. The slices of a track are sorted, do not overlap, and are numbered from
// `first`. `launches`: the slices of each row in time order.
export function decodeTimeline(data, run) {
  const count = data.tracks.reduce((sum, track) => sum + track.gap_ns.length, 0);
  const [start, end, latency] = [0, 1, 2].map(() => new Float64Array(count));
  const [name, call, within] = [0, 1, 2].map(() => new Int32Array(count).fill(-1));
  const bytes = new Map();
  latency.fill(-1);
  let first = 0;
  const tracks = data.tracks.map(({gap_ns: gaps, duration_ns: durations, ...track}) => {
    const last = first + gaps.length;
    const own = (array) => array.subarray(first, last);
    const slices = {start: own(start), end: own(end)};
    for (let i = 0, time = 0; i < gaps.length; ++i) {
      slices.start[i] = time + gaps[i];
      time = slices.end[i] = slices.start[i] + durations[i];
    }
    own(name).set(track.name);
    if (track.within) {
      let others = 0;
      let other = 0;
      summed(own(call), track.call).forEach((of, i) => {
        if (of < 0) latency[first + i] = other += track.launch_latency_ns[others++];
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
    text: (n) => run.rows[row[n]]?.short ?? names[name[n]][1] ?? "kernel not in the table of this page",
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
