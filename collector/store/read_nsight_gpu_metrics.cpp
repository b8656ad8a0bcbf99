// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "collector/store/read_tables.h"

namespace mansard::store {
namespace {

using Metric = std::pair<std::int64_t, std::int64_t>;  // typeId, metricId

// Metric ids are unique only within a typeId, and are not string ids.
std::map<Metric, StringId> metric_names(Database& database, Profile& profile) {
  StringId next = 1;
  for (const auto& [id, text] : profile.strings) next = std::max(next, id + 1);
  std::map<Metric, StringId> names;
  std::map<std::string, StringId> known;
  Statement row = select(database, "TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"});
  while (row.step()) {
    const auto [name, is_new] = known.try_emplace(row.text(2), next);
    if (is_new) profile.strings[next++] = name->first;
    names[{row.integer(0), row.integer(1)}] = name->second;
  }
  return names;
}

auto sample_key(const GpuMetricSample& s) { return std::tie(s.end_ns, s.device_id); }

// Merges the values of each sample, which may be apart in the file.
void gather(std::vector<GpuMetricSample>& samples) {
  std::stable_sort(samples.begin(), samples.end(),
                   [](const GpuMetricSample& a, const GpuMetricSample& b) {
                     return sample_key(a) < sample_key(b);
                   });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (kept > 0 && sample_key(samples[kept - 1]) == sample_key(samples[i])) {
      auto& values = samples[kept - 1].values;
      values.insert(values.end(), samples[i].values.begin(), samples[i].values.end());
    } else {
      if (kept != i) samples[kept] = std::move(samples[i]);
      ++kept;
    }
  }
  samples.resize(kept);
}

}  // namespace

void read_nsight_gpu_metrics(Database& database, Profile& profile) {
  if (!database.has_table("GPU_METRICS")) return;
  const std::map<Metric, StringId> names = metric_names(database, profile);
  Statement row = select(database, "GPU_METRICS", {"timestamp", "typeId", "metricId", "value"});
  std::vector<GpuMetricSample>& samples = profile.gpu_metrics;
  while (row.step()) {
    if (row.is_null(0)) continue;  // before schema 3.13 a sample may have no time
    const std::int64_t type = row.integer(1);
    const auto name = names.find({type, row.integer(2)});
    if (name == names.end()) continue;  // a metric without a name
    // The lowest byte of a typeId is the GPU's number.
    const GpuMetricSample sample{
        possible_time(row.integer(0)), static_cast<std::int32_t>(type & 0xff), {}};
    if (samples.empty() || sample_key(samples.back()) != sample_key(sample))
      samples.push_back(sample);
    samples.back().values.emplace_back(name->second, row.real(3));
  }
  gather(samples);
}

}  // namespace mansard::store
