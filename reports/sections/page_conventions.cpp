// SPDX-License-Identifier: Apache-2.0
// Definitions of the page's terms and units. They are part of the page because it is passed around
// without the documentation.
#include "reports/section.h"

namespace mansard::reports {
namespace {

std::optional<Section> make_page_conventions(const SectionContext&) {
  Section section;
  section.title = "Terms and units";
  section.summary = "FLOP, bytes, SOL time, slowdown, annotated";
  section.folded = true;
  section.html =
      "<dl class=\"facts\">\n"
      "<div><dt>FLOP</dt><dd>One addition or multiplication; a fused multiply-add counts as two."
      "</dd></div>\n"
      "<div><dt>Bytes</dt><dd>Bytes read plus bytes written. GB = 10<sup>9</sup> bytes; MiB = "
      "2<sup>20</sup> bytes.</dd></div>\n"
      "<div><dt>SOL time</dt><dd>Speed-of-light time: the least time in which this machine can do "
      "the work. T_sol = max(F / P, B / BW for each memory tier, launches x launch overhead), with "
      "F: FLOPs, P: compute ceiling, B: bytes, BW: bandwidth ceiling. The largest term names the "
      "bound.</dd></div>\n"
      "<div><dt>Slowdown</dt><dd>Slowdown vs. SOL: T / T_sol, with T: measured time (for "
      "launch-bound kernels the launch overhead, if that is longer). At 1.00x only less work or a "
      "faster machine helps. SOL % is the inverse, T_sol / T.</dd></div>\n"
      "<div><dt>Annotated</dt><dd>FLOPs and bytes stated by the program. Where they are unknown, "
      "tables show a dash and figures have no mark.</dd></div>\n"
      "</dl>\n";
  return section;
}

}  // namespace

void register_page_conventions(SectionRegistry& registry) {
  registry.add({"conventions", SectionScope::page, 10, make_page_conventions});
}

}  // namespace mansard::reports
