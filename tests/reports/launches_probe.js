// SPDX-License-Identifier: Apache-2.0
// Checks the density of all launches and a view restored from a deep link. Inserted into a page by
// planes_browser.py.
whenStarted(async () => {
  const seen = {};
  const figures = [...document.querySelector("article").querySelectorAll(".plane-view")];
  const svgs = figures.map((figure) => figure.querySelector("svg.interactive"));
  const canvases = figures.map((figure) => figure.querySelector("canvas.density"));
  const button = (label) => [...document.querySelectorAll(".part-bar button")]
    .find((b) => b.textContent.trim() === label);
  const wheel = (svg, deltaY) => {
    const box = svg.getBoundingClientRect();
    svg.dispatchEvent(new WheelEvent("wheel", {
      bubbles: true, cancelable: true, deltaY, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2}));
  };
  seen.hash = location.hash;
  seen.pinned = document.querySelector("[aria-current]")?.dataset.row ?? null;
  seen.pressed = [...document.querySelectorAll(".part-bar [aria-pressed=true]")].map((b) => b.textContent.trim());
  seen.tiers = figures.map((figure) =>
    [...figure.querySelectorAll(".group [aria-pressed=true]")].map((b) => b.textContent));
  const points = (svg) => [...svg.querySelectorAll(".point")].map((node) => {
    const [, row, part] = node.dataset.link.split(" ");
    const {e, f} = node.transform.baseVal.consolidate().matrix;
    return {row, ideal: part === "1", level: node.dataset.tier, cx: e, cy: f};
  });
  seen.points = svgs.map(points);
  seen.plots = svgs.map((svg) => ["x", "y", "width", "height"].map((name) =>
    Number(svg.querySelector("clipPath rect").getAttribute(name))));
  seen.ticks = svgs.map((svg) => [...svg.querySelectorAll(".x text")].map((t) => t.textContent).filter(Boolean));
  if (button("Launches")) {
    seen.hidden_at_first = canvases.map((canvas) => canvas.hidden);
    // Some kernels are outside of the first view of the roofline.
    [...figures[0].querySelectorAll("button")].find((b) => b.textContent === "All")?.click();
    button("Launches").click();
    // The launches are decompressed first.
    for (let i = 0; i < 500 && canvases.some((c) => !c.hidden && !c.dataset.launches); ++i) {
      await new Promise((done) => setTimeout(done, 10));
    }
    seen.hidden = canvases.map((canvas) => canvas.hidden);
    const counts = () => canvases.map((canvas) => Number(canvas.dataset.launches ?? 0));
    seen.launches = counts();
    // The density of a kernel is at its mark.
    seen.painted = svgs.slice(0, 2).map((svg, i) => {
      const canvas = canvases[i];
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const frame = canvas.getBoundingClientRect();
      const origin = svg.getBoundingClientRect();
      return points(svg).filter((point) => !point.ideal).map(({cx, cy}) => {
        const x = Math.floor((cx + origin.x - frame.x) / frame.width * canvas.width);
        const y = Math.floor((cy + origin.y - frame.y) / frame.height * canvas.height);
        // A position on the border of two cells may be in either.
        return Math.max(...[-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) =>
          pixels[4 * ((y + dy) * canvas.width + x + dx) + 3] ?? 0)));
      });
    });
    button("gemm").click();
    seen.without_gemm = counts();
    button("gemm").click();
    for (let i = 0; i < 20; ++i) wheel(svgs[0], i < 10 ? -20 : 20);
    seen.launches_again = counts();
  }
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
