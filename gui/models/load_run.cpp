// SPDX-License-Identifier: Apache-2.0
#include "gui/models/load_run.h"

#include <algorithm>
#include <stdexcept>

#include "analyzer/controlled_analysis.h"
#include "collector/store/file_format.h"

namespace mansard {
namespace {

RunAnalysis machine_alone(const std::filesystem::path& file) {
  MachineModel model = load_machine_model(file);
  if (model.devices.empty()) {
    throw std::runtime_error(file.string() +
                             ": this machine model holds no device; run `mansard characterize`");
  }
  RunAnalysis run;
  run.title = file.stem().string();
  run.machine_provenance = model.provenance;
  // A GPU is what most models are made for; its host is measured along with it.
  auto shown = std::ranges::find(model.devices, Target::cuda,
                                 [](const DeviceModel& d) { return d.device.target; });
  if (shown == model.devices.end()) shown = model.devices.begin();
  run.notes.push_back("A machine model, without a run: the ceilings of " + shown->device.name +
                      '.');
  for (const DeviceModel& d : model.devices) {
    if (&d != &*shown) run.notes.push_back("The model also holds " + d.device.name + '.');
  }
  if (model.provenance.origin == Origin::datasheet) {
    run.notes.push_back("These are published figures, not measurements.");
  }
  run.machine = std::move(*shown);
  return run;
}

}  // namespace

RunAnalysis load_run(const std::filesystem::path& file,
                     const std::vector<std::filesystem::path>& machines,
                     const LoadControl& control) {
  // A trace ends in .json as well; load_profile() says what to do with it.
  const bool is_model =
      file.extension() == ".json" && !(std::filesystem::is_regular_file(file) &&
                                       recognise_format(file) == FileFormat::kineto_trace);
  if (is_model) return machine_alone(file);
  std::vector<MachineModel> models;
  for (const std::filesystem::path& machine : machines) {
    models.push_back(load_machine_model(machine));
  }
  Profile profile = load_profile(file, control.part(0, 0.75));
  return analyze_run(std::move(profile), models, {}, control.part(0.75, 1));
}

}  // namespace mansard
