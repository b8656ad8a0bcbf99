// SPDX-License-Identifier: Apache-2.0
// A file of any kind the window can show, loaded and analyzed.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "analyzer/run_analysis.h"
#include "collector/store/load_control.h"

namespace mansard::gui {

// A recorded run, analyzed against the best matching of the machine models; or, for a machine
// model, that machine alone, without rows. Throws std::runtime_error naming the file, what is wrong
// with it and what to do; LoadCanceled. Of a machine model that cannot be read a note tells. Safe
// to call from several threads.
analysis::RunAnalysis load_run(const std::filesystem::path& file,
                               const std::vector<std::filesystem::path>& machines,
                               const store::LoadControl& control = {});

using RunLoader = std::function<analysis::RunAnalysis(const std::filesystem::path&,
                                                      const std::vector<std::filesystem::path>&,
                                                      const store::LoadControl&)>;

}  // namespace mansard::gui
