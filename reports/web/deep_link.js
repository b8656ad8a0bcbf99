// SPDX-License-Identifier: Apache-2.0
// Deep links to a view: #run1-roofline&kernel=3&x=0.1..100&y=1e12..1e15&classes=gemm
// has the figure, the row of the pinned kernel, the axis ranges, the tiers, and the shown classes
// if some are hidden. Plain #anchors are left to the browser.

const range = (values) => values.map((v) => String(+v.toPrecision(4))).join("..");

export function writeLink({section, kernel, view, levels, classes}) {
  const parts = [section];
  const add = (key, ...values) => parts.push(`${key}=${values.map(encodeURIComponent).join(",")}`);
  if (kernel !== null) add("kernel", kernel);
  if (view) {
    add("x", range(view.x));
    add("y", range(view.y));
  }
  if (levels) add("tiers", ...levels);
  if (classes) add("classes", ...classes);
  return `#${parts.join("&")}`;
}

function readRange(text) {
  const [low, high] = (text ?? "").split("..").map(Number);
  return low > 0 && high > low && Number.isFinite(high) ? [low, high] : null;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // keep invalid escapes as they are
  }
}

// Returns null for a plain anchor.
export function readLink(hash) {
  const [section, ...fields] = hash.replace(/^#/, "").split("&");
  if (fields.length === 0) return null;
  const values = new Map(fields.map((field) => {
    const at = field.indexOf("=");
    return [field.slice(0, at), field.slice(at + 1)];
  }));
  const list = (key) => (values.has(key) ? values.get(key).split(",").map(decoded) : null);
  const [x, y] = [readRange(values.get("x")), readRange(values.get("y"))];
  return {section, kernel: values.get("kernel") ?? null, view: x && y ? {x, y} : null,
          levels: list("tiers"), classes: list("classes")};
}

// `parts`: [{run, selection, planes, eachPlane}] of main.js. Folds around the figure of a link are open
// already (folds.js).
export function followLinks(parts) {
  let timer = null;
  let restoring = false;

  function address({selection}, plane) {
    return writeLink({section: plane.id, kernel: selection.pinned, ...plane.state(),
                      classes: selection.hidden.size > 0 ? selection.shownClasses : null});
  }
  function note(part, plane) {
    if (restoring || !plane) return;
    clearTimeout(timer);
    // Browsers limit the rate of address changes.
    timer = setTimeout(() => {
      const hash = address(part, plane);
      // A plain anchor stays until the view differs from the default.
      if (hash === location.hash || (!hash.includes("&") && !location.hash.includes("&"))) return;
      try {
        history.replaceState(null, "", hash);
      } catch { /* not allowed in some embedded pages */ }
    }, 250);
  }
  for (const part of parts) {
    let last = null;
    part.eachPlane((plane) => plane.onView(() => note(part, last = plane)));
    part.selection.onChange((source, what) => {
      if (what === "pin" || what === "classes") note(part, last ?? part.planes[0]);
    });
  }

  function restore() {
    const link = readLink(location.hash);
    if (!link) return;
    const part = parts.find((p) => p.planes.some((plane) => plane.id === link.section));
    if (!part) return;
    const plane = part.planes.find((p) => p.id === link.section);
    restoring = true;
    if (link.kernel === null) part.selection.clear("link");
    else if (part.run.rows[link.kernel] && link.kernel !== part.selection.pinned) {
      part.selection.pin(link.kernel, "link");
    }
    part.selection.showClasses(link.classes ? new Set(link.classes) : null, "link");
    plane.show(link.view, link.levels);
    restoring = false;
    document.getElementById(link.section).scrollIntoView();
  }
  addEventListener("hashchange", restore);
  restore();
}
