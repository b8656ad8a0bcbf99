// SPDX-License-Identifier: Apache-2.0
#include "gui/models/counter_facts.h"

#include <QLocale>
#include <QObject>
#include <cmath>
#include <map>
#include <unordered_map>

namespace mansard::gui {
namespace {

bool is_of(const store::CounterReading& reading, const store::KernelRecord& kernel) {
  return reading.demangled_name == kernel.demangled_name && reading.grid == kernel.grid &&
         reading.block == kernel.block &&
         reading.dynamic_shared_bytes == kernel.dynamic_shared_bytes;
}

struct Mean {
  double sum = 0;
  int count = 0;
};

QString number_text(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  return whole ? QLocale::c().toString(static_cast<qlonglong>(value))
               : QString::number(value, 'g', 6);
}

}  // namespace

FactSection facts_of_counters(const analysis::RunAnalysis& run, const analysis::KernelRow& row) {
  FactSection s{QObject::tr("Counters"), {}};
  if (row.kind != analysis::RowKind::kernel || row.launch_indices.empty()) return s;
  // Every launch of a row has the same signature.
  const store::KernelRecord& kernel = run.profile.kernels[row.launch_indices.front()];
  std::unordered_map<store::StringId, Mean> means;  // each string is compared only once, at the end
  int readings = 0;
  for (const store::CounterReading& reading : run.profile.counter_readings) {
    if (!is_of(reading, kernel)) continue;
    ++readings;
    for (const auto& [metric, value] : reading.values) {
      if (!std::isfinite(value)) continue;
      Mean& mean = means[metric];
      mean.sum += value;
      ++mean.count;
    }
  }
  if (readings == 0) return s;
  s.facts.push_back({QObject::tr("Collected in"), count_text(readings, "launch", "launches")});
  std::map<std::string, Mean> by_name;
  for (const auto& [metric, mean] : means) {
    Mean& named = by_name[run.profile.string(metric)];  // two ids may have the same name
    named.sum += mean.sum;
    named.count += mean.count;
  }
  for (const auto& [metric, mean] : by_name) {
    s.facts.push_back({QString::fromStdString(metric), number_text(mean.sum / mean.count)});
  }
  return s;
}

}  // namespace mansard::gui
