// SPDX-License-Identifier: Apache-2.0
// The ticks of a time axis: the rules of reports/figure/time_ticks.cpp.
import {endOf, nsPerPx, toPx} from "./time_view.js";

const units = [[1e9, 9, "s"], [1e6, 6, "ms"], [1e3, 3, "us"], [1, 0, "ns"]];
const farFromOrigin = 1e4; // steps away from it, labels count from a base of their own

const unitOf = (size) => units.find(([ns]) => size >= ns) || units[3];

function inUnit(time, [ns, digits, symbol], decimals) {
  const size = Math.abs(time);
  let text = (time < 0 ? "-" : "") + Math.floor(size / ns);
  if (decimals > 0) text += `.${String(size % ns).padStart(digits, "0").slice(0, decimals)}`;
  return `${text} ${symbol}`;
}

// Whole nanoseconds exactly, in the largest unit they reach: "1.5 us", "12.345678901 s".
export function exactTime(time) {
  const whole = Math.round(time);
  if (whole === 0) return "0 s";
  const unit = unitOf(Math.abs(whole));
  let decimals = unit[1];
  for (let rest = Math.abs(whole); decimals > 0 && rest % 10 === 0; rest /= 10) --decimals;
  return inUnit(whole, unit, decimals);
}

function stepOf(least) {
  for (let exponent = 0, power = 1; ; ++exponent, power *= 10) {
    for (const digit of [1, 2, 5]) {
      if (digit * power >= least) return {ns: digit * power, exponent};
    }
  }
}

// {base, ticks: [{at, label}]}: each label is to be added to `base`, "" where there is none.
export function timeAxis(view, gap) {
  const step = stepOf(nsPerPx(view) * gap);
  const first = Math.ceil(view.start);
  const last = Math.floor(endOf(view));
  let base = 0;
  if (last / step.ns > farFromOrigin) {
    let multiple = 1;
    while (multiple < Math.max(view.length, step.ns)) multiple *= 10;
    base = Math.floor(first / multiple) * multiple;
  }
  const unit = unitOf(last - base);
  const decimals = Math.max(0, unit[1] - step.exponent);
  const ticks = [];
  for (let time = Math.ceil(first / step.ns) * step.ns; time <= last; time += step.ns) {
    const label = time === base ? "0" : inUnit(time - base, unit, decimals);
    ticks.push({at: toPx(view, time), label});
  }
  return {base: base > 0 ? exactTime(base) : "", ticks};
}
