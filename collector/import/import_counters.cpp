// SPDX-License-Identifier: Apache-2.0
// Imports a table of Nsight Compute without a profile: its kernels one after another, with the
// durations from ncu.
#include <algorithm>
#include <cmath>
#include <set>

#include "collector/import/counter_notes.h"
#include "collector/import/import_result.h"
#include "collector/import/profile_source.h"
#include "collector/store/kernel_name.h"
#include "collector/store/profile_writer.h"
#include "support/files.h"
#include "support/units.h"

namespace mansard::collector {
namespace {

constexpr std::int64_t kGap_ns = 1000;  // between kernels; their real order is unknown

store::SessionInfo session_of(const std::vector<std::filesystem::path>& files,
                              const NcuLaunch& first) {
  store::SessionInfo session;
  session.pid = first.pid != 0 ? first.pid : 1;  // 0 means this process
  session.command = "(imported from " + files.front().filename().string() +
                    (files.size() > 1 ? " and others" : "") +
                    (first.process.empty() ? "" : ", of " + first.process) + ")";
  session.mansard_version = MANSARD_VERSION + std::string(kFromNsightCompute);
  return session;
}

store::KernelRecord kernel_of(const NcuLaunch& launch, std::int64_t start_ns,
                              store::ProfileWriter& writer) {
  store::KernelRecord k;
  k.start_ns = start_ns;
  k.end_ns = start_ns + std::llround(launch.duration_ns().value_or(0));
  k.device_id = launch.device_id;
  k.context_id = launch.context_id;
  k.stream_id = launch.stream_id;
  k.demangled_name = writer.intern(launch.kernel);
  k.short_name = writer.intern(store::short_kernel_name(launch.kernel));
  k.grid = launch.grid;
  k.block = launch.block;
  k.static_shared_bytes = static_cast<std::int32_t>(launch.static_shared_bytes().value_or(0));
  k.dynamic_shared_bytes = static_cast<std::int32_t>(launch.dynamic_shared_bytes().value_or(0));
  k.registers_per_thread =
      static_cast<std::int32_t>(launch.whole("launch__registers_per_thread").value_or(0));
  return k;
}

store::CounterReading reading_of(const NcuLaunch& launch, const store::KernelRecord& kernel,
                                 store::ProfileWriter& writer) {
  store::CounterReading r;
  r.start_ns = kernel.start_ns;
  r.device_id = kernel.device_id;
  r.demangled_name = kernel.demangled_name;
  r.grid = kernel.grid;
  r.block = kernel.block;
  r.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
  for (const auto& [metric, value] : stored_values(launch)) {
    r.values.emplace_back(writer.intern(metric), value);
  }
  return r;
}

}  // namespace

ImportResult import_counters(const std::vector<std::filesystem::path>& files,
                             const std::filesystem::path& output) {
  ImportResult result;
  const std::vector<NcuLaunch> launches = read_tables(files, result);
  OutputFile unfinished(output, OutputKind::database);
  {
    store::ProfileWriter writer(unfinished.file(), session_of(files, launches.front()));
    writer.set_session_value("importedFrom", std::filesystem::absolute(files.front()).string());
    for (const store::GpuRecord& gpu : gpus_of(launches)) writer.add(gpu);
    std::int64_t start_ns = kGap_ns;
    double time_s = 0;
    for (const NcuLaunch& launch : launches) {
      const store::KernelRecord kernel = kernel_of(launch, start_ns, writer);
      writer.add(kernel);
      writer.add(reading_of(launch, kernel, writer));
      time_s += 1e-9 * static_cast<double>(kernel.end_ns - kernel.start_ns);
      start_ns = kernel.end_ns + kGap_ns;
    }
    const auto count = static_cast<std::int64_t>(launches.size());
    result.imported.count("kernels with counters", count);
    result.notes.insert(
        result.notes.begin(),
        "Times are from Nsight Compute, which serializes kernels, by default at base clock and "
        "with cold caches. Kernel order and gaps are not those of the program.");
    for (const std::string& note : result.notes) {
      writer.add(store::DiagnosticRecord{0, store::Severity::warning, note});
    }
    result.summary = std::to_string(count) + " launches, " + format_si(time_s, "s") +
                     " of kernel time under Nsight Compute.";
    writer.finish(store::RecordingState::complete);
  }
  unfinished.finish();
  return result;
}

}  // namespace mansard::collector
