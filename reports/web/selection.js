// SPDX-License-Identifier: Apache-2.0
// The kernel that a run's figure and table agree on. `pinned` stays until replaced or cleared;
// `hovered` is what the pointer is on.

export function createSelection() {
  const listeners = [];
  let pinned = null;
  let hovered = null;
  const tell = (source) => listeners.forEach((listener) => listener(source));
  return {
    get pinned() { return pinned; },
    get hovered() { return hovered; },
    onChange(listener) { listeners.push(listener); },
    pin(row, source) {
      pinned = row === pinned ? null : row;
      tell(source);
    },
    clear(source) {
      pinned = null;
      tell(source);
    },
    hover(row, source) {
      if (row === hovered) return;
      hovered = row;
      tell(source);
    },
  };
}
