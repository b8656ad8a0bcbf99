// SPDX-License-Identifier: Apache-2.0
// Published peaks, embedded from empirical_roofline/machines/datasheets/*.json.
#include <map>

#include "cmake/embedded_file.h"
#include "empirical_roofline/machine_model.h"
#include "empirical_roofline/machine_model_json.h"

namespace mansard::roofline {

std::span<const EmbeddedFile> datasheet_files();  // generated

namespace {

// The names under which a GPU appears in profiles, with the index of its model. The lookup is
// exact, because similar names are other hardware: "NVIDIA A100 80GB PCIe" has less bandwidth than
// "NVIDIA A100-SXM4-80GB", and a MIG instance appends its size to the name of its GPU.
using ModelByName = std::map<std::string, std::size_t, std::less<>>;

ModelByName models_by_name() {
  ModelByName by_name;
  const std::span<const EmbeddedFile> files = datasheet_files();
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const DeviceModel& device : datasheet_models()[i].devices) {
      by_name.emplace(device.device.name, i);
    }
    const Json file = Json::parse(files[i].content);
    for (const Json& name : file.value("reported_as", Json::array())) {
      by_name.emplace(name.get<std::string>(), i);
    }
  }
  return by_name;
}

}  // namespace

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
  static const ModelByName by_name = models_by_name();
  const auto found = by_name.find(device_name);
  return found == by_name.end() ? nullptr : &datasheet_models()[found->second];
}

}  // namespace mansard::roofline
