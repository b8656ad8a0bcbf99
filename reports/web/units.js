// SPDX-License-Identifier: Apache-2.0
// Number formatting with the rules of support/units.h.

const prefixes = [
  [1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"],
  [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"],
];

export function formatSi(value, unit) {
  if (!Number.isFinite(value)) return "n/a";
  const size = Math.abs(value);
  let [factor, symbol] = [1, ""];
  if (size > 0) {
    [factor, symbol] = prefixes.find(([f]) => size >= f * 0.9995) || prefixes[prefixes.length - 1];
  }
  const scaled = value / factor;
  const a = Math.abs(scaled);
  const text = scaled.toFixed(a === 0 ? 0 : a < 9.995 ? 2 : a < 99.95 ? 1 : 0);
  return unit || symbol ? `${text} ${symbol}${unit}` : text;
}

export function formatPercent(fraction) {
  return Number.isFinite(fraction) ? `${(100 * fraction).toFixed(1)} %` : "n/a";
}
