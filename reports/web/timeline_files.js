// SPDX-License-Identifier: Apache-2.0
// Saves the visible timeline as a file.
import {save} from "./download.js";
import {svgPainter} from "./painters.js";
import {drawTimeline} from "./timeline_draw.js";

export function timelineSvg(scene, size, measure) {
  const painter = svgPainter(size.width, size.height, scene.inks.background,
                             scene.font, measure);
  drawTimeline(painter, {...scene, hover: null});
  return painter.finish();
}

export function saveSvg(scene, size, measure, name) {
  save(new Blob([timelineSvg(scene, size, measure)], {type: "image/svg+xml"}), `${name}.svg`);
}

export function savePng(canvas, name) {
  canvas.toBlob((blob) => blob && save(blob, `${name}.png`), "image/png");
}
