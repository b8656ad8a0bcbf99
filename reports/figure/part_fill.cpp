// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/part_fill.h"

#include <algorithm>
#include <array>

#include "analyzer/steps/idle_causes.h"

namespace mansard::figure {
namespace {

// Classes ordered so that neighbors have distinct colors.
constexpr std::array<std::string_view, 8> kSeriesColors = {
    "gemm", "copy", "collective", "norm", "elementwise", "quantize", "attention", "optimizer"};

Fill series_fill(std::size_t number) {
  const std::size_t round = number / kSeriesColors.size();
  return {class_ink(kSeriesColors[number % kSeriesColors.size()]),
          kTextures[round % kTextures.size()]};
}

Fill idle_fill(std::string_view cause) {
  const auto& causes = analysis::idle_cause_infos();
  const auto known = std::ranges::find(causes, cause, &analysis::IdleCauseInfo::label);
  const auto number = known == causes.end() ? 0 : known - causes.begin();
  return {surface_ink(&Surface::faint_text),
          kTextures[static_cast<std::size_t>(number) % kTextures.size()], true};
}

}  // namespace

Fill class_fill(analysis::OperationClass operation_class) {
  const std::size_t rank = rank_in_color(operation_class);
  return {class_ink(operation_class), kTextures[rank % kTextures.size()]};
}

Fill part_fill(const ChartSeries& series, std::size_t number) {
  if (series.kind == "kernels" && !series.name.empty()) return class_fill(series.name);
  // A collective that waits for another rank is hollow.
  const bool waits = series.kind == "waiting" || series.name.starts_with("waiting");
  if (series.kind == "communication" || waits) {
    return {class_ink("collective"), waits ? Texture::rising : Texture::plain, waits};
  }
  if (series.kind == "hidden_communication") return {class_ink("collective"), Texture::dotted};
  if (series.kind == "synchronization") return {class_ink("collective"), Texture::crossed};
  if (series.kind == "memcpy_memset") {
    // Copy engines execute memcpys, not kernels: the color of copy kernels, with a texture of its
    // own.
    return {class_ink("copy"), Texture::horizontal};
  }
  if (series.kind == "graphs") return {surface_ink(&Surface::compute)};
  if (series.kind == "idle") return idle_fill(series.name);
  return series_fill(number);
}

Ink role_ink(WaterfallRole role) {
  switch (role) {
    case WaterfallRole::total:
      return surface_ink(&Surface::compute);
    case WaterfallRole::loss:
      return surface_ink(&Surface::loss);
    case WaterfallRole::gain:
      return surface_ink(&Surface::gain);
  }
  return surface_ink(&Surface::compute);
}

}  // namespace mansard::figure
