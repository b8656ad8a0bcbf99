// SPDX-License-Identifier: Apache-2.0
// Published peaks, embedded from empirical_roofline/machines/datasheets/*.json.
#include <algorithm>

#include "cmake/embedded_file.h"
#include "empirical_roofline/machine_model.h"

namespace mansard::roofline {

std::span<const EmbeddedFile> datasheet_files();  // generated

const std::vector<MachineModel>& datasheet_models() {
  static const std::vector<MachineModel> models = [] {
    std::vector<MachineModel> all;
    for (const EmbeddedFile& file : datasheet_files()) {
      all.push_back(machine_model_from_json(file.content, std::string(file.name)));
    }
    return all;
  }();
  return models;
}

const MachineModel* find_datasheet(std::string_view device_name) {
  for (const MachineModel& model : datasheet_models()) {
    if (model.find_device(device_name, "") != nullptr) return &model;
  }
  return nullptr;
}

}  // namespace mansard::roofline
