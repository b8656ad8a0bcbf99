// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_look.h"

#include "gui/views/theme.h"
#include "reports/figure/slice_style.h"

namespace mansard::gui {
namespace {

constexpr double kFaded = 0.28;

// Black or white, whichever can be read on it.
QColor readable_on(figure::Rgb colour) {
  constexpr figure::Rgb kBlack{0, 0, 0};
  constexpr figure::Rgb kWhite{255, 255, 255};
  const bool white =
      figure::contrast_ratio(colour, kWhite) >= figure::contrast_ratio(colour, kBlack);
  return to_qcolor(white ? kWhite : kBlack);
}

}  // namespace

TimelineLook::TimelineLook(const figure::Timeline& timeline, figure::Theme theme)
    : surface_(figure::surface(theme)) {
  background = to_qcolor(surface_.background);
  ground = to_qcolor(surface_.roof);
  grid = to_qcolor(surface_.grid);
  text = to_qcolor(surface_.text);
  faint_text = to_qcolor(surface_.faint_text);
  accent = to_qcolor(surface_.accent);
  span = grid;
  merged = call = mixed(background, to_qcolor(surface_.axis), 0.6);
  waiting = mixed(background, accent, 0.7);
  for (const std::string& name : timeline.classes) {
    const figure::SliceStyle style = figure::slice_style(name);
    const figure::Rgb colour = figure::mark_style(style.colour_class, theme).colour;
    const QColor fill = to_qcolor(colour);
    classes_.push_back({fill, mixed(background, fill, kFaded), readable_on(colour), style.lines,
                        name == figure::kWaitClass});
  }
}

}  // namespace mansard::gui
