// SPDX-License-Identifier: Apache-2.0
// Ticks of a time axis, with the steps and units of reports/figure/time_ticks.h.
import {endOf, nsPerPx, toPx} from "./time_view.js";

const unitOf = (units, size) => units.find(([ns]) => size >= ns) ?? units[units.length - 1];

function inUnit(time, [ns, digits, symbol], decimals) {
  const size = Math.abs(time);
  let text = (time < 0 ? "-" : "") + Math.floor(size / ns);
  if (decimals > 0) text += `.${String(size % ns).padStart(digits, "0").slice(0, decimals)}`;
  return `${text} ${symbol}`;
}

// An exact time in integer nanoseconds, in the largest suitable unit: "1.5 µs", "12.345678901 s".
export function exactTime({units}, time) {
  const whole = Math.round(time);
  if (whole === 0) return "0 s";
  const unit = unitOf(units, Math.abs(whole));
  let decimals = unit[1];
  for (let rest = Math.abs(whole); decimals > 0 && rest % 10 === 0; rest /= 10) --decimals;
  return inUnit(whole, unit, decimals);
}

// {base, ticks: [{at, label}]}. Labels are relative to `base` if it is not "". Ticks without a
// label divide a step.
export function timeAxis(view, axis) {
  const least = nsPerPx(view) * axis.gap;
  const [step, exponent, parts] =
    axis.steps.find(([ns]) => ns >= least) ?? axis.steps[axis.steps.length - 1];
  const [first, last] = [Math.floor(view.start), Math.ceil(endOf(view))];
  let base = 0;
  const far = Math.floor(Math.max(Math.abs(first), Math.abs(last)) / step) > axis.far;
  if (far) {
    let multiple = 1;
    while (multiple < Math.max(view.length, step)) multiple *= 10;
    base = Math.floor(first / multiple) * multiple;
  }
  const unit = unitOf(axis.units, Math.max(Math.abs(first - base), Math.abs(last - base)));
  const decimals = Math.max(0, unit[1] - exponent);
  const ticks = [];
  const stride = step / parts;
  for (let time = Math.ceil(first / stride) * stride; time <= last; time += stride) {
    const named = (time - base) % step === 0;
    const label = time === base ? "0" : inUnit(time - base, unit, decimals);
    ticks.push({at: toPx(view, time), label: named ? label : ""});
  }
  return {base: far ? exactTime(axis, base) : "", ticks};
}
