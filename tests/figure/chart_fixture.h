// SPDX-License-Identifier: Apache-2.0
// Tables with charts, and checks for all charts.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "reports/figure/chart_frame.h"

namespace mansard::testing {

inline figure::TextSize measure_text(std::string_view text) {
  return {6.5 * static_cast<double>(text.size()), 15};
}

inline const std::vector<double> kWidths_px = {360, 640, 960, 1600};

// Rows of a name and a value in seconds.
inline analysis::Table two_columns(const std::vector<std::pair<std::string, analysis::Cell>>& rows,
                                   analysis::Chart chart) {
  analysis::Table table;
  table.title = "Causes";
  table.columns = {{"cause", "cause", analysis::CellFormat::text, "", ""},
                   {"time_s", "adds", analysis::CellFormat::quantity, "s", ""}};
  for (const auto& [name, value] : rows) table.rows.push_back({name, value});
  table.chart = std::move(chart);
  table.chart->label_keys = {"cause"};
  table.chart->value_keys = {"time_s"};
  return table;
}

inline bool overlap(const figure::Rect& a, const figure::Rect& b) {
  constexpr double kTouch_px = 1e-6;
  return a.left + kTouch_px < b.right && b.left + kTouch_px < a.right &&
         a.top + kTouch_px < b.bottom && b.top + kTouch_px < a.bottom;
}

inline void expect_within(const figure::Rect& box, const figure::Rect& room,
                          const std::string& what) {
  constexpr double kTouch_px = 1e-6;
  EXPECT_GE(box.left, room.left - kTouch_px) << what;
  EXPECT_LE(box.right, room.right + kTouch_px) << what;
  EXPECT_GE(box.top, room.top - kTouch_px) << what;
  EXPECT_LE(box.bottom, room.bottom + kTouch_px) << what;
}

// Checks that no text leaves the figure or overlaps another text or one of `areas` (bars).
inline void expect_legible(const figure::ChartFrame& frame,
                           const std::vector<figure::PlacedText>& values,
                           const std::vector<figure::Rect>& areas) {
  std::vector<figure::PlacedText> texts = values;
  for (const figure::FrameRow& row : frame.rows) texts.push_back(row.name);
  for (const figure::PlacedText& name : frame.tick_names) texts.push_back(name);
  texts.push_back(frame.axis_name);
  std::vector<figure::Rect> covered = areas;
  for (const figure::LegendEntry& entry : frame.legend.entries) {
    texts.push_back(entry.name);
    covered.push_back(entry.swatch);
  }
  const figure::Rect all{0, 0, frame.width, frame.height};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    expect_within(texts[i].box, all, texts[i].text);
    EXPECT_NEAR(texts[i].box.width(), measure_text(texts[i].text).width, 1e-9) << texts[i].text;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(overlap(texts[i].box, texts[j].box))
          << '\'' << texts[i].text << "' and '" << texts[j].text << '\'';
    }
    for (const figure::Rect& area : covered)
      EXPECT_FALSE(overlap(texts[i].box, area)) << texts[i].text;
  }
  for (const figure::Rect& area : areas) expect_within(area, frame.plot, "a bar");
  for (std::size_t i = 1; i < frame.ticks.size(); ++i) {
    const double step = frame.ticks[1].value - frame.ticks[0].value;
    EXPECT_NEAR((frame.ticks[i].value - frame.ticks[i - 1].value) / step, 1, 1e-9);
  }
}

}  // namespace mansard::testing
