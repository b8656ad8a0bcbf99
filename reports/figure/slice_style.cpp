// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/slice_style.h"

#include <algorithm>
#include <array>

namespace mansard::figure {
namespace {

constexpr double kFaded = 0.28;

Ink towards(Rgb Surface::*role, double share) {
  return mixed(surface_ink(&Surface::background), surface_ink(role), share);
}

}  // namespace

SliceStyle slice_style(analysis::OperationClass slice_class) {
  static constexpr std::array kLines = {0.25, 0.75, 0.12, 0.88};
  static const analysis::OperationClass kCopy = "copy";
  SliceStyle style{slice_class, {}};
  std::size_t rank = rank_in_color(slice_class);
  // After the three kernel classes of this color.
  if (slice_class == analysis::kMemcpyClass || slice_class == analysis::kMemsetClass) {
    style.color_class = kCopy;
    rank = slice_class == analysis::kMemcpyClass ? 3 : 4;
  }
  if (slice_class == kGraphClass) rank = 1;  // after kernels of unknown class
  style.lines = std::span(kLines).first(std::min(rank, kLines.size()));
  return style;
}

SliceLook slice_look(TrackKind kind, analysis::OperationClass slice_class) {
  const Ink merged = towards(&Surface::axis, 0.6);
  if (kind == TrackKind::stream) {
    const SliceStyle style = slice_style(slice_class);
    const Ink ink = class_ink(style.color_class);
    return {.fill = ink,
            .faded = mixed(surface_ink(&Surface::background), ink, kFaded),
            .name = readable_on(ink),
            .lines = style.lines,
            .rises = true};
  }
  if (kind == TrackKind::calls) {
    // Blocking calls are highlighted: the thread launches nothing meanwhile.
    const Ink fill = slice_class == kWaitClass ? towards(&Surface::accent, 0.7) : merged;
    return {.fill = fill, .faded = fill};
  }
  // Steps and ranges are identified by name, not by class.
  const bool typical = slice_class != kOtherStepClass;
  return {.fill = surface_ink(typical ? &Surface::grid : &Surface::roof),
          .faded = surface_ink(&Surface::roof),
          .merged = merged,
          .name = surface_ink(typical ? &Surface::text : &Surface::faint_text),
          .faded_name = surface_ink(&Surface::faint_text)};
}

}  // namespace mansard::figure
