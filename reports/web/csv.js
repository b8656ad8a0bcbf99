// SPDX-License-Identifier: Apache-2.0
// Comma-separated values for a reader's clipboard, as `--format csv` writes them.
import {element} from "./dom.js";

function csvField(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) || text.startsWith("#") ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csvText(lines) {
  return lines.map((line) => line.map(csvField).join(",") + "\n").join("");
}

// The clipboard's own interface needs a secure context, which not every browser grants file://.
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

// A button whose action may fail; it says for a moment how it went.
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
