// SPDX-License-Identifier: Apache-2.0
// CSV for the clipboard, in the format of `--format csv`.
import {element} from "./dom.js";

function csvField(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) || text.startsWith("#") ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csvText(lines) {
  return lines.map((line) => line.map(csvField).join(",") + "\n").join("");
}

// The clipboard API needs a secure context, which some browsers do not grant to file://.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", {class: "offscreen", "aria-hidden": "true"});
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("the browser refused access to the clipboard");
  }
}

// A button for an action that may fail; it shows the result for two seconds.
export function actionButton(label, done, action) {
  const button = element("button", {type: "button"}, label);
  button.addEventListener("click", async () => {
    let message = done;
    try {
      await action();
    } catch (error) {
      message = `Failed: ${error.message}`;
    }
    button.textContent = message;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
  return button;
}

export function copyButton(label, text) {
  return actionButton(label, "Copied", () => copy(text()));
}
