// SPDX-License-Identifier: Apache-2.0
#include "gui/models/interval_facts.h"

#include <QObject>
#include <algorithm>
#include <functional>
#include <numeric>

#include "gui/models/row_facts.h"

namespace mansard::gui {

QString interval_text(const figure::WindowSummary& summary) {
  const QString length = duration_text(summary.length_ns);
  const QString starts =
      count_text(static_cast<std::int64_t>(summary.launches), "kernel, memcpy or memset starts",
                 "kernels, memcpys and memsets start");
  if (summary.devices == 0) return QObject::tr("%1 selected").arg(length);
  return QObject::tr("%1 selected: busy %2 (%3), %4")
      .arg(length, duration_text(summary.busy_ns), percent_text(summary.busy_share()), starts);
}

QString longest_kernels_text(const analysis::RunAnalysis& run, const ShownLaunches& shown) {
  std::vector<std::size_t> rows(std::min(run.rows.size(), shown.time_s.size()));
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto end =
      rows.begin() + static_cast<std::ptrdiff_t>(std::min(kIntervalKernels, rows.size()));
  std::ranges::partial_sort(rows, end, std::greater{},
                            [&](std::size_t i) { return shown.time_s[i]; });
  QStringList names;
  for (auto row = rows.begin(); row != end; ++row) {
    if (!(shown.time_s[*row] > 0)) break;
    names << QObject::tr("%1 %2 (%3)")
                 .arg(display_name(run.rows[*row]), quantity_text(shown.time_s[*row], "s"),
                      percent_text(shown.share(*row)));
  }
  if (names.isEmpty()) return {};
  return QObject::tr("Most time: %1").arg(names.join(QStringLiteral(", ")));
}

}  // namespace mansard::gui
