// SPDX-License-Identifier: Apache-2.0
#include "gui/models/row_facts.h"

#include "gui/models/table_cells.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::gui {
namespace {

QString to_qstring(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString dimensions(const std::array<std::int32_t, 3>& d) {
  return QString::fromStdString(extent_text(d));
}

// A column of the kernel catalog, as a fact.
Fact fact(const analysis::KernelRow& row, std::string_view key) {
  const auto& [column, value] = analysis::at_key(analysis::kernel_columns(), key);
  QString title = to_qstring(column.label);
  title[0] = title[0].toUpper();
  return {title, cell_text(value(analysis::KernelEntry(row)), column)};
}

// A row with launches in a typical step belongs to a run with steps.
bool is_per_step(const analysis::KernelRow& row) { return row.step_launches > 0; }

Fact saving_fact(const analysis::KernelRow& row) {
  Fact saving = fact(row, is_per_step(row) ? "step_saving_s" : "saving_s");
  saving.label = is_per_step(row) ? QStringLiteral("Potential saving per step")
                                  : QStringLiteral("Potential saving");
  return saving;
}

FactSection launch_facts(const analysis::KernelRow& row) {
  FactSection s{QStringLiteral("Launches"), {}};
  if (is_per_step(row)) {
    for (const char* key : {"step_time_s", "step_share", "step_launches"}) {
      s.facts.push_back(fact(row, key));
    }
  }
  for (const char* key : {"launches", "time_s", "share", "min_s", "median_s", "max_s"}) {
    s.facts.push_back(fact(row, key));
  }
  if (row.target == kernels::Target::cuda) {
    s.facts.push_back({QStringLiteral("Grid"), dimensions(row.grid)});
    s.facts.push_back({QStringLiteral("Block"), dimensions(row.block)});
    s.facts.push_back({QStringLiteral("Shared memory"),
                       to_qstring(format_capacity(static_cast<double>(row.shared_bytes)))});
  }
  return s;
}

FactSection work_facts(const analysis::KernelRow& row) {
  FactSection s{QStringLiteral("Work"), {}};
  if (row.origin == analysis::WorkOrigin::none) {
    s.facts.push_back({QStringLiteral("FLOPs and bytes"), QStringLiteral("unknown")});
    return s;
  }
  s.facts.push_back(fact(row, "origin"));
  for (const auto& [precision, flop] : row.work.flop) {
    s.facts.push_back({to_qstring(info(precision).label), quantity_text(flop, "FLOP")});
  }
  for (const auto& [level, bytes] : row.work.bytes) {
    QString value = quantity_text(bytes, "B");
    if (const auto ai = intensity(row, level)) {
      value += QStringLiteral(", ") + intensity_text(ai);
    }
    s.facts.push_back({to_qstring(info(level).label), value});
  }
  s.facts.push_back(fact(row, "flop_per_s"));
  return s;
}

FactSection limit_facts(const analysis::KernelRow& row) {
  FactSection s{QStringLiteral("Speed of light (SOL)"), {}};
  const analysis::SpeedOfLight& sol = row.sol;
  if (!(sol.time_s > 0)) {
    s.facts.push_back({QStringLiteral("SOL time"), QStringLiteral("unknown")});
  } else {
    for (const char* key : {"sol_fraction", "bound", "sol_s"}) {
      s.facts.push_back(fact(row, key));
    }
    s.facts.push_back(saving_fact(row));
    // Time by each resource on its own: T_sol = max(F / P, max over tiers(B / BW), launch time).
    if (sol.compute_s > 0) {
      s.facts.push_back(
          {QStringLiteral("Compute time (F / P)"), quantity_text(sol.compute_s, "s")});
    }
    for (const auto& [level, time_s] : sol.bandwidth_s) {
      s.facts.push_back({QStringLiteral("%1 time (B / BW)").arg(to_qstring(info(level).label)),
                         quantity_text(time_s, "s")});
    }
    if (sol.launch_s > 0) {
      s.facts.push_back({QStringLiteral("Launch time"), quantity_text(sol.launch_s, "s")});
    }
  }
  for (const std::string& missing : sol.missing_ceilings) {
    s.facts.push_back({QStringLiteral("No ceiling for"), to_qstring(missing)});
  }
  return s;
}

}  // namespace

QString label_text(std::string_view name) {
  constexpr int kLongest_columns = 4000;
  return to_qstring(truncate_middle(one_line(name), kLongest_columns));
}

QString display_name(const analysis::KernelRow& row) {
  return label_text(row.short_name.empty() ? row.name : row.short_name);
}

QString precision_text(const analysis::KernelRow& row) { return fact(row, "precision").value; }

QString bound_text(const analysis::KernelRow& row) { return fact(row, "bound").value; }

QString saving_text(const analysis::KernelRow& row) {
  if (!(row.sol.time_s > 0)) return {};
  const QString text = QStringLiteral("potential saving ") + saving_fact(row).value;
  return is_per_step(row) ? text + QStringLiteral(" per step") : text;
}

QString row_time_text(const analysis::KernelRow& row) {
  if (!is_per_step(row)) {
    return QStringLiteral("%1, %2 of the time, %3")
        .arg(quantity_text(row.time_s, "s"), percent_text(row.share),
             count_text(row.launches, "launch", "launches"));
  }
  return QStringLiteral("%1 per step, %2 of it, in %3 launches")
      .arg(quantity_text(row.step_time_s, "s"), percent_text(row.step_share),
           QString::fromStdString(analysis::format_count(row.step_launches)));
}

QString quantity_text(std::optional<double> value, const char* unit) {
  return value ? to_qstring(format_si(*value, unit)) : QStringLiteral("-");
}

QString ratio_text(std::optional<double> ratio) {
  if (!ratio) return QStringLiteral("-");
  if (*ratio >= 1e4) return to_qstring(format_si(*ratio, ""));
  return QString::number(*ratio, 'g', *ratio >= 1e3 ? 4 : 3);
}

QString duration_text(std::int64_t duration_ns) {
  constexpr std::int64_t kMicrosecond_ns = 1000;
  if (duration_ns < kMicrosecond_ns) return QStringLiteral("%1 ns").arg(duration_ns);
  return quantity_text(static_cast<double>(duration_ns) * 1e-9, "s");
}

QString intensity_text(std::optional<double> flop_per_byte) {
  return flop_per_byte ? ratio_text(flop_per_byte) + QStringLiteral(" FLOP/B")
                       : QStringLiteral("-");
}

QString percent_text(std::optional<double> fraction) {
  return fraction ? to_qstring(format_percent(*fraction)) : QStringLiteral("-");
}

QString count_text(std::int64_t count, const char* one, const char* many) {
  return QString::fromStdString(format_whole(count)) + QLatin1Char(' ') +
         QString::fromUtf8(count == 1 ? one : many);
}

std::vector<FactSection> facts(const analysis::KernelRow& row) {
  FactSection what{{}, {}};
  for (const char* key : {"class", "precision"}) what.facts.push_back(fact(row, key));
  return {what, limit_facts(row), launch_facts(row), work_facts(row)};
}

}  // namespace mansard::gui
