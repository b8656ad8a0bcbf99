// SPDX-License-Identifier: Apache-2.0
// Loads and analyzes any file that the window can open.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "analyzer/run_analysis.h"
#include "collector/store/load_control.h"

namespace mansard::gui {

// A profile, analyzed with the best matching machine model; or, for a machine model, that machine
// without rows. Throws std::runtime_error naming the file, the problem and the remedy;
// LoadCanceled. A machine model that cannot be read is reported in a note. Thread-safe.
analysis::RunAnalysis load_run(const std::filesystem::path& file,
                               const std::vector<std::filesystem::path>& machines,
                               const store::LoadControl& control = {});

using RunLoader = std::function<analysis::RunAnalysis(const std::filesystem::path&,
                                                      const std::vector<std::filesystem::path>&,
                                                      const store::LoadControl&)>;

}  // namespace mansard::gui
