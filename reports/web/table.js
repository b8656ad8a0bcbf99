// SPDX-License-Identifier: Apache-2.0
// Tables with sorting, filtering and copying. data-v has unrounded numbers; titles have the full
// text of truncated cells.
import {copyButton, csvText} from "./csv.js";
import {element} from "./dom.js";

const textOf = (cell) => cell.dataset.v ?? (cell.title || cell.textContent.trim());

function sortKey(cell) {
  if (cell.dataset.v === undefined) return textOf(cell).toLowerCase();
  // Unknown values sort below all numbers.
  return cell.dataset.v ? Number(cell.dataset.v) : -Infinity;
}

function makeSortable(table, body) {
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    const button = element("button", {type: "button", class: "sort"}, ...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const numeric = header.classList.contains("n");
      const before = header.getAttribute("aria-sort");
      const rising = before ? before === "descending" : !numeric;
      headers.forEach((h) => h.removeAttribute("aria-sort"));
      header.setAttribute("aria-sort", rising ? "ascending" : "descending");
      const keyed = [...body.rows].map((row) => [sortKey(row.cells[column]), row]);
      keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (rising ? 1 : -1));
      body.append(...keyed.map(([, row]) => row));
    });
  });
}

export function toCsv(table, rows) {
  const keys = [...table.tHead.rows[0].cells].map((cell) => cell.dataset.key);
  const lines = rows.map((row) => [...row.cells].map(textOf));
  return csvText([keys, ...lines]);
}

// `hiddenRow(row)`: whether a row is hidden by something other than the table's filter.
function addTools(table, body, hiddenRow) {
  const rows = () => [...body.rows].filter((row) => !row.hidden);
  const count = element("span", {class: "muted", role: "status"});
  const total = body.rows.length;
  const filter = element("input", {type: "search", placeholder: "Filter rows",
                                   "aria-label": "Filter rows", autocomplete: "off"});
  const showRows = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of body.rows) {
      const text = [...row.cells].map((c) => `${textOf(c)} ${c.textContent}`).join(" ").toLowerCase();
      row.hidden = hiddenRow(row) || !words.every((word) => text.includes(word));
    }
    const shown = rows().length;
    const noun = total === 1 ? "row" : "rows";
    count.textContent = shown === total ? `${total} ${noun}` : `${shown} of ${total} ${noun}`;
  };
  filter.addEventListener("input", showRows);
  const bar = element("div", {class: "controls table-tools"});
  if (total > 5) bar.append(filter);
  bar.append(count, copyButton("Copy as CSV", () => toCsv(table, rows())));
  table.parentElement.before(bar);
  showRows();
  return showRows;
}

// Makes one row of the table a tab stop; arrow keys, Home and End move to the others. Returns a
// function to call when rows were hidden.
function roveRows(body) {
  const rows = () => [...body.rows].filter((row) => row.classList.contains("linked") && !row.hidden);
  let stop = null;
  function stopAt(row) {
    if (stop) stop.tabIndex = -1;
    stop = row ?? null;
    if (stop) stop.tabIndex = 0;
  }
  const keep = () => {
    if (!stop || stop.hidden) stopAt(rows()[0]);
  };
  body.addEventListener("focusin", (event) => {
    const row = event.target.closest("tr");
    if (row !== stop && row.classList.contains("linked")) stopAt(row);
  });
  body.addEventListener("keydown", (event) => {
    const list = rows();
    const at = list.indexOf(event.target);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: list.length - 1}[event.key];
    if (at < 0 || !list[to]) return;
    event.preventDefault();
    list[to].focus();
  });
  keep();
  return keep;
}

// Rows select kernels by click, Enter or Space.
function linkRows(table, body, data, selection) {
  for (const row of body.rows) {
    const key = row.dataset.row;
    if (!data.rows[key]) continue;
    row.classList.add("linked");
    row.tabIndex = -1;
    row.addEventListener("click", () => selection.pin(key, "table"));
    row.addEventListener("mouseenter", () => selection.hover(key, "table"));
    row.addEventListener("mouseleave", () => selection.hover(null, "table"));
    row.addEventListener("keydown", (event) => {
      if (event.target !== row || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      selection.pin(key, "table");
    });
  }
  const update = (source) => {
    for (const row of body.rows) {
      const pinned = row.dataset.row === selection.pinned;
      row.classList.toggle("pinned-row", pinned);
      row.classList.toggle("hovered-row", row.dataset.row === selection.hovered);
      row.classList.toggle("found-row", Boolean(selection.found?.has(row.dataset.row)));
      if (!pinned) {
        row.removeAttribute("aria-current");
        continue;
      }
      row.setAttribute("aria-current", "true");
      const frame = table.parentElement;
      const hidden = row.offsetTop < frame.scrollTop + table.tHead.offsetHeight ||
                     row.offsetTop + row.offsetHeight > frame.scrollTop + frame.clientHeight;
      // Scroll only the table, not the page, so that the figure stays in view.
      if (source !== "table" && hidden) frame.scrollTop = row.offsetTop - frame.clientHeight / 2;
    }
  };
  selection.onChange(update);
  if (selection.pinned !== null) update("start");
}

// `data`: the kernels of the part, if the rows of the table are kernels.
export function enhanceTable(table, data, selection) {
  const body = table.tBodies[0];
  makeSortable(table, body);
  const classOf = (row) => data?.rows[row.dataset.row]?.class;
  const showRows = addTools(table, body, (row) => selection.hidden.has(classOf(row)));
  if (!data) return;
  linkRows(table, body, data, selection);
  const keepStop = roveRows(body);
  table.closest("section").addEventListener("input", keepStop); // the filter's listener ran before
  selection.onChange((source, what) => {
    if (what !== "classes") return;
    showRows();
    keepStop();
  });
}
