// SPDX-License-Identifier: Apache-2.0
#include "gui/models/load_run.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "analyzer/controlled_analysis.h"
#include "collector/import/import_result.h"
#include "collector/store/file_format.h"

namespace mansard::gui {
namespace {

analysis::RunAnalysis machine_alone(const std::filesystem::path& file) {
  roofline::MachineModel model = roofline::load_machine_model(file);
  if (model.devices.empty()) {
    throw std::runtime_error(file.string() +
                             ": this machine model contains no device. Create one with `mansard "
                             "characterize -o machine.json` on that machine.");
  }
  analysis::RunAnalysis run;
  run.title = file.stem().string();
  run.machine_provenance = model.provenance;
  // Prefers the GPU: most models are made for one, and its host CPU is measured along with it.
  auto shown = std::ranges::find(model.devices, kernels::Target::cuda,
                                 [](const roofline::DeviceModel& d) { return d.device.target; });
  if (shown == model.devices.end()) shown = model.devices.begin();
  run.notes.push_back("Machine model only, no profile: ceilings of " + shown->device.name + '.');
  for (const roofline::DeviceModel& d : model.devices) {
    if (&d != &*shown) run.notes.push_back("The model also contains " + d.device.name + '.');
  }
  if (model.provenance.origin == roofline::Origin::datasheet) {
    run.notes.push_back("These are published values, not measurements.");
  }
  run.machine = std::move(*shown);
  return run;
}

bool holds_trace(const std::filesystem::path& file) {
  const store::FileFormat format = store::recognize_format(file);
  return format == store::FileFormat::kineto_trace || format == store::FileFormat::gzip;
}

// A folder that is removed with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mansard-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("cannot create a folder in " +
                               std::filesystem::temp_directory_path().string() + ": " +
                               std::generic_category().message(errno));
    }
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Imports the trace into a temporary profile, as `mansard import` does.
store::Profile imported_trace(const std::filesystem::path& trace, std::vector<std::string>& notes,
                              const store::LoadControl& control) {
  const TemporaryFolder folder;
  const std::filesystem::path recording = folder.path() / "trace.sqlite";
  const store::LoadControl importing = control.part(0, 0.7);
  collector::ImportResult result =
      collector::import_trace(trace, recording, [&](std::uint64_t bytes, std::uint64_t all_bytes) {
        importing.report(
            "Reading the trace",
            all_bytes == 0 ? 1.0 : static_cast<double>(bytes) / static_cast<double>(all_bytes));
      });
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  store::Profile profile = store::load_profile(recording, control.part(0.7, 1));
  profile.file = trace;
  return profile;
}

}  // namespace

analysis::RunAnalysis load_run(const std::filesystem::path& file,
                               const std::vector<std::filesystem::path>& machines,
                               const store::LoadControl& control) {
  const bool is_trace = std::filesystem::is_regular_file(file) && holds_trace(file);
  if (file.extension() == ".json" && !is_trace) return machine_alone(file);
  std::vector<std::string> notes;
  std::vector<roofline::MachineModel> models;
  for (const std::filesystem::path& machine : machines) {
    try {
      models.push_back(roofline::load_machine_model(machine));
    } catch (const std::runtime_error& e) {
      // The profile can still be analyzed with another machine model or published figures.
      notes.push_back(std::string("Machine model not used: ") + e.what());
    }
  }
  store::Profile profile = is_trace ? imported_trace(file, notes, control.part(0, 0.75))
                                    : store::load_profile(file, control.part(0, 0.75));
  analysis::RunAnalysis run =
      analysis::analyze_run(std::move(profile), models, {}, control.part(0.75, 1));
  run.notes.insert(run.notes.end(), notes.begin(), notes.end());
  return run;
}

}  // namespace mansard::gui
