// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/part_fill.h"

#include <algorithm>
#include <array>

#include "analyzer/steps/idle_causes.h"

namespace mansard::figure {
namespace {

// Classes whose colours, one after the other, are far apart from their neighbours.
constexpr std::array<std::string_view, 8> kSeriesColours = {
    "gemm", "copy", "collective", "norm", "elementwise", "quantize", "attention", "optimizer"};

Fill series_fill(std::size_t number, Theme theme) {
  const std::size_t round = number / kSeriesColours.size();
  return {mark_style(kSeriesColours[number % kSeriesColours.size()], theme).colour,
          kTextures[round % kTextures.size()]};
}

Fill idle_fill(std::string_view cause, Theme theme) {
  const auto& causes = analysis::idle_cause_infos();
  const auto known = std::ranges::find(causes, cause, &analysis::IdleCauseInfo::label);
  const auto number = known == causes.end() ? 0 : known - causes.begin();
  return {surface(theme).faint_text, kTextures[static_cast<std::size_t>(number) % kTextures.size()],
          true};
}

}  // namespace

Fill class_fill(std::string_view operation_class, Theme theme) {
  const std::size_t rank = rank_in_colour(operation_class);
  return {mark_style(operation_class, theme).colour, kTextures[rank % kTextures.size()]};
}

Fill part_fill(const ChartSeries& series, std::size_t number, Theme theme) {
  if (series.kind == "kernels" && !series.name.empty()) return class_fill(series.name, theme);
  // A collective that waits for another rank does not work.
  const bool waits = series.kind == "waiting" || series.name.starts_with("waiting");
  if (series.kind == "communication" || waits) {
    return {mark_style("collective", theme).colour, waits ? Texture::rising : Texture::plain,
            waits};
  }
  if (series.kind == "copies") {
    // Engines of their own copy, not kernels: the colour of these, a texture that none of them has.
    return {mark_style("copy", theme).colour, Texture::horizontal};
  }
  if (series.kind == "graphs") return {surface(theme).compute};
  if (series.kind == "idle") return idle_fill(series.name, theme);
  return series_fill(number, theme);
}

Rgb role_colour(WaterfallRole role, Theme theme) {
  const Surface& s = surface(theme);
  switch (role) {
    case WaterfallRole::total:
      return s.compute;
    case WaterfallRole::loss:
      return s.loss;
    case WaterfallRole::gain:
      return s.gain;
  }
  return s.compute;
}

}  // namespace mansard::figure
