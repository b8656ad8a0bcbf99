// SPDX-License-Identifier: Apache-2.0
// Figures and tables start one after the other once the page is shown, in reading order; those in a
// closed fold (<details>) start when it opens. Links open the folds around their target.

const waiting = new Map(); // closed fold -> [{node, start}]
let queue = [];            // {node, start} outside of closed folds

const foldAround = (node) => node.parentElement.closest("details:not([open])");

function startContent(fold) {
  const content = waiting.get(fold) ?? [];
  waiting.delete(fold);
  for (const item of content) {
    if (foldAround(item.node)) wait(item);
    else item.start();
  }
}

function wait(item) {
  const fold = foldAround(item.node);
  if (!waiting.has(fold)) {
    waiting.set(fold, []);
    fold.addEventListener("toggle", () => startContent(fold), {once: true});
  }
  waiting.get(fold).push(item);
}

// Calls `start` once: soon, or when no fold around the node is closed. It may be asynchronous.
export function startLater(node, start) {
  if (foldAround(node)) wait({node, start});
  else queue.push({node, start});
}

// Starts the queue, one item per task, so that the page answers between two of them.
export function startQueue() {
  const next = async () => {
    const item = queue.shift();
    await item?.start();
    if (queue.length > 0) setTimeout(next);
    else document.documentElement.dataset.ready = Math.round(performance.now()); // for tests
  };
  setTimeout(next);
}

// Opens the fold that is the section `node` and all folds around it, and starts their content.
function open(node) {
  const own = node.querySelector(":scope > .fold");
  for (let fold = own ?? node.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    fold.open = true;
    startContent(fold); // the toggle event comes later
  }
  const now = queue.filter((item) => node.contains(item.node));
  queue = queue.filter((item) => !now.includes(item));
  for (const {start} of now) start();
}

function targetOf(hash) {
  const id = hash.replace(/^#/, "").split("&")[0];
  return id ? document.getElementById(id) : null;
}

// Links within the page, and its address, open the folds around their target.
export function followAnchors() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    const target = link && targetOf(link.getAttribute("href"));
    if (target) open(target);
  });
  const follow = () => {
    const target = targetOf(location.hash);
    if (!target) return;
    open(target);
    target.scrollIntoView({behavior: "instant"});
  };
  addEventListener("hashchange", follow);
  follow();
}

// A click anywhere on a line of a ledger opens it, as its marker does.
export function openLedgerLines() {
  document.addEventListener("click", (event) => {
    const line = event.target.closest(".ledger .line");
    const details = line?.nextElementSibling?.querySelector("details");
    if (details && getSelection().isCollapsed) details.open = !details.open;
  });
}
