// SPDX-License-Identifier: Apache-2.0
// Steps through the launches of the pinned kernel and describes the current one.
import {exactTime} from "./time_ticks.js";
import {duration} from "./timeline_facts.js";

// `status`: the element for the description.
export function createLaunchCursor({items, launches, run: {rows}, axis}, selection, status) {
  let current = null; // an item
  const list = () => launches.get(selection.pinned) ?? [];

  function notify() {
    const row = rows[selection.pinned];
    const own = list();
    if (!row) status.textContent = "";
    else if (current === null) {
      status.textContent = `${own.length} launches of ${row.short}. N: next, P: previous.`;
    } else {
      status.textContent =
        `Launch ${own.indexOf(current) + 1} of ${own.length} of ${row.short}: start ` +
        `${exactTime(axis, items.start[current])}, duration ` +
        `${duration(items.end[current] - items.start[current])}.`;
    }
  }

  return {
    get current() { return current; },
    // Pins the kernel of a launch; the same launch again unpins it.
    choose(item) {
      const row = String(items.row[item]);
      const again = current === item;
      current = again ? null : item;
      if (again || row !== selection.pinned) selection.pin(row, "timeline");
      notify();
    },
    // To the next (1) or previous (-1) launch; the first call starts from `time`. null: none.
    step(by, time) {
      const own = list();
      if (own.length === 0) {
        status.textContent =
          "No kernel pinned. Click one, or press Enter on a row of the table.";
        return null;
      }
      let next = own.indexOf(current) + by;
      if (current === null) {
        const after = own.findIndex((item) => items.start[item] >= time);
        next = (after < 0 ? own.length : after) - (by > 0 ? 0 : 1);
      }
      current = own[(next + own.length) % own.length];
      notify();
      return current;
    },
    // Call this after the pinned kernel has changed.
    follow() {
      if (current !== null && String(items.row[current]) !== selection.pinned) current = null;
      notify();
    },
  };
}
