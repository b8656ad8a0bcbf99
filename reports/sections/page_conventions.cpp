// SPDX-License-Identifier: Apache-2.0
// What the page's words and units mean, in the page itself: it travels without its documentation.
#include "reports/section.h"

namespace mansard::reports {
namespace {

std::optional<Section> make(const SectionContext&) {
  Section section;
  section.title = "How to read it";
  section.html =
      "<dl class=\"facts\">\n"
      "<div><dt>FLOP</dt><dd>One add or one multiply; a fused multiply-add is two.</dd></div>\n"
      "<div><dt>Bytes</dt><dd>Read plus written. GB = 10<sup>9</sup> bytes; MiB = 2<sup>20</sup> "
      "bytes.</dd></div>\n"
      "<div><dt>Speed of light</dt><dd>Or limit: the least time the work can take on the machine: "
      "the largest of its "
      "FLOPs over the compute ceiling, its bytes over each tier's bandwidth, and its launches "
      "times the cost of one. The largest term names the bound.</dd></div>\n"
      "<div><dt>Distance</dt><dd>Time over speed of light (for kernels shorter than their launch, "
      "what launching them costs): 1.00x means that only less work or a faster machine would help. "
      "Its inverse is the per cent of the roof that a kernel reaches.</dd></div>\n"
      "<div><dt>Work</dt><dd>Annotated: FLOPs and bytes as the program stated them. Where they "
      "are not known, the page shows a dash and draws no point.</dd></div>\n"
      "</dl>\n";
  return section;
}

}  // namespace

void register_page_conventions(SectionRegistry& registry) {
  registry.add({"conventions", SectionScope::page, 10, make});
}

}  // namespace mansard::reports
