// SPDX-License-Identifier: Apache-2.0
// Real profiles of an H200, loaded once for all tests.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "gui/models/load_run.h"
#include "gui/models/open_run.h"

namespace mansard::testing {

// A file of examples/h200, analyzed with the machine model next to it.
inline std::shared_ptr<const gui::OpenRun> example_run(const std::string& file) {
  static std::map<std::string, std::shared_ptr<const gui::OpenRun>> loaded;
  std::shared_ptr<const gui::OpenRun>& run = loaded[file];
  if (!run) {
    const std::filesystem::path folder = MANSARD_SOURCE_FOLDER "/examples/h200";
    run = gui::prepare_run(gui::load_run(folder / file, {folder / "machine.json"}));
  }
  return run;
}

// A profile without launches.
inline std::shared_ptr<const gui::OpenRun> empty_run() {
  return gui::prepare_run(analysis::RunAnalysis());
}

// Two annotated host ranges of 1 ms and 2 ms.
inline std::shared_ptr<const gui::OpenRun> host_run() {
  analysis::RunAnalysis run;
  analysis::KernelRow row;
  row.kind = analysis::RowKind::host_range;
  row.target = kernels::Target::host;
  row.name = row.short_name = "dot";
  row.operation_class = "gemm";
  row.launches = 2;
  row.time_s = 3e-3;
  for (std::int64_t i = 0; i < 2; ++i) {
    store::NvtxRecord range;
    range.start_ns = i * 5'000'000;
    range.end_ns = range.start_ns + (i + 1) * 1'000'000;
    range.global_tid = 7;
    range.text = "dot";
    run.profile.nvtx.push_back(range);
    row.launch_indices.push_back(static_cast<std::size_t>(i));
  }
  run.rows.push_back(row);
  return gui::prepare_run(std::move(run));
}

// One kernel, launched `launches` times: launch i starts at 10 i us and takes (i mod 7) + 1 us.
inline std::shared_ptr<const gui::OpenRun> one_kernel_run(std::int64_t launches) {
  analysis::RunAnalysis run;
  analysis::KernelRow row;
  row.name = "void axpy<float>(float*)";
  row.short_name = "axpy";
  row.operation_class = "elementwise";
  row.grid = row.block = {32, 1, 1};
  row.launches = launches;
  for (std::int64_t i = 0; i < launches; ++i) {
    store::KernelRecord kernel;
    kernel.start_ns = i * 10'000;
    kernel.end_ns = kernel.start_ns + (i % 7 + 1) * 1000;
    row.time_s += static_cast<double>(kernel.end_ns - kernel.start_ns) * 1e-9;
    run.profile.kernels.push_back(kernel);
    row.launch_indices.push_back(static_cast<std::size_t>(i));
  }
  row.share = 1;
  run.rows.push_back(row);
  return gui::prepare_run(std::move(run));
}

}  // namespace mansard::testing
