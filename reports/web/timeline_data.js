// SPDX-License-Identifier: Apache-2.0
// The columns of the page as tracks of slices: {start, end, of} each, sorted, none overlapping
// another. `of` is a slice's number in the columns that it comes from.

function times(columns) {
  const count = columns.start_ns.length;
  const start = new Float64Array(count);
  const end = new Float64Array(count);
  let time = 0;
  for (let i = 0; i < count; ++i) {
    time += columns.start_ns[i];
    start[i] = time;
    end[i] = time + columns.duration_ns[i];
  }
  return {start, end};
}

// A loop, as from() with a function is slow.
function filled(array, valueOf) {
  for (let i = 0; i < array.length; ++i) array[i] = valueOf(i);
  return array;
}

function slicesOf({start, end}, numbers) {
  const count = numbers.length;
  return {start: filled(new Float64Array(count), (i) => start[numbers[i]]),
          end: filled(new Float64Array(count), (i) => end[numbers[i]]),
          of: filled(new Int32Array(count), (i) => numbers[i])};
}

// Numbers in the order of time, divided so that none overlaps another of its lane.
function lanesOf({start, end}, numbers) {
  const lanes = [];
  for (const i of numbers) {
    const lane = lanes.find((other) => end[other[other.length - 1]] <= start[i]);
    if (lane) lane.push(i);
    else lanes.push([i]);
  }
  return lanes;
}

// Numbers grouped by the values of columns, in the order in which these values first come.
function grouped(count, keyOf) {
  const groups = new Map();
  for (let i = 0; i < count; ++i) {
    const key = keyOf(i);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(i);
  }
  return groups;
}

// Texts of [characters shared with the text before, the others] each.
function frontDecoded(items) {
  let characters = [];
  return items.map(([shared, rest]) => {
    characters = [...characters.slice(0, shared), ...rest];
    return characters.join("");
  });
}

// Values of differences from the one before, the first from 0.
function summed(differences) {
  let value = 0;
  return filled(new Int32Array(differences.length), (i) => (value += differences[i]));
}

// Kernels and, behind them, copies and fills, as one list.
function deviceItems(data, run) {
  const kernels = times(data);
  const copies = times(data.copies);
  const count = data.row.length;
  const names = [...new Set([...Object.keys(data.classes), ...Object.keys(run.classes), "other"])];
  const classNumber = new Map(names.map((name, i) => [name, i]));
  const classOf = (i) => (i < count ? run.rows[data.row[i]]?.class ?? "other"
                                    : data.copies.classes[data.copies.text[i - count]]);
  const total = count + copies.start.length;
  const stacks = frontDecoded(data.stacks);
  const within = summed(data.within);
  const joined = (Type, first, second) => {
    const array = new Type(total);
    array.set(first);
    array.set(second, count);
    return array;
  };
  return {
    count: total,
    kernels: count,
    start: joined(Float64Array, kernels.start, copies.start),
    end: joined(Float64Array, kernels.end, copies.end),
    row: joined(Int32Array, data.row, copies.start.map(() => -1)),
    stream: joined(Int32Array, data.stream, data.copies.stream),
    ofClass: filled(new Uint16Array(total), (i) => classNumber.get(classOf(i)) ?? 0),
    classes: names,
    text: (i) => (i < count ? run.rows[data.row[i]]?.short ?? "a kernel beyond the page's rows"
                            : data.copies.texts[data.copies.text[i - count]]),
    bytes: (i) => (i < count ? 0 : data.copies.bytes[i - count]),
    latency: (i) => (i < count ? data.launch_latency_ns[i] : -1),
    within: (i) => (i < count ? stacks[within[i]] ?? "" : ""),
  };
}

function streamTracks(data, items) {
  const tracks = [];
  const byStream = grouped(items.count, (i) => items.stream[i]);
  data.streams.forEach((stream, number) => {
    const numbers = (byStream.get(number) || []).sort((a, b) => items.start[a] - items.start[b] ||
                                                                items.end[b] - items.end[a]);
    lanesOf(items, numbers).forEach((lane, depth) => tracks.push(
      {kind: "stream", label: stream.label, device: stream.device, depth,
       busy: lane.reduce((sum, i) => sum + items.end[i] - items.start[i], 0),
       slices: slicesOf(items, lane)}));
  });
  return tracks;
}

// Steps, ranges and calls: slices whose lanes are known.
function namedTracks(kind, columns) {
  const spans = times(columns);
  const tracks = [];
  const groups = grouped(spans.start.length,
                         (i) => columns.track[i] * 1000 + (columns.depth ? columns.depth[i] : 0));
  for (const [key, numbers] of [...groups].sort((a, b) => a[0] - b[0])) {
    const place = columns.tracks[Math.floor(key / 1000)];
    tracks.push({kind, label: place.label, device: place.device, depth: key % 1000,
                 slices: slicesOf(spans, numbers),
                 text: (i) => columns.texts[columns.text[i]],
                 note: (i) => columns.classes[columns.text[i]],
                 typical: (i) => columns.typical?.[i] !== 0});
  }
  return tracks;
}

function lineTracks(data) {
  return data.lines.map((line) => {
    let time = 0;
    return {kind: "line", label: line.label, unit: line.unit,
            time: Float64Array.from(line.time_ns, (step) => (time += step)),
            value: Float64Array.from(line.value),
            low: line.value.reduce((a, b) => Math.min(a, b), 0),
            high: line.value.reduce((a, b) => Math.max(a, b), 0)};
  });
}

// {items, tracks, launches}: `items` is what ran on devices; `tracks` are in the order in which
// they are drawn; `launches` are the numbers of a row's items by its key, in the order of time.
export function decodeTimeline(data, run) {
  const items = deviceItems(data, run);
  const streams = streamTracks(data, items);
  const steps = namedTracks("steps", data.steps);
  const ranges = namedTracks("ranges", data.ranges);
  const calls = namedTracks("calls", data.calls);
  const devices = [...new Set([...streams, ...steps].map((track) => track.device))];
  const of = (device) => (track) => track.device === device;
  const tracks = devices.flatMap((device) => [
    ...steps.filter(of(device)), ...ranges.filter(of(device)), ...streams.filter(of(device))]);
  tracks.push(...lineTracks(data));
  const threads = [...new Set([...ranges, ...calls].filter(of(-1))
    .map((track) => track.label.replace(/ calls$/, "")))];
  for (const thread of threads) {
    tracks.push(...ranges.filter((track) => track.device === -1 && track.label === thread),
                ...calls.filter((track) => track.label === `${thread} calls`));
  }
  const launches = new Map();
  for (let i = 0; i < items.kernels; ++i) {
    const key = String(items.row[i]);
    if (!launches.has(key)) launches.set(key, []);
    launches.get(key).push(i);
  }
  return {items, tracks, launches};
}
