// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_options.h"

#include <algorithm>
#include <stdexcept>

namespace mansard::gui {

QString short_device_name(const std::string& name) {
  QString text = QString::fromStdString(name).simplified();
  for (const char* maker : {"NVIDIA ", "AMD ", "Intel(R) ", "GeForce "}) {
    const QString prefix = QString::fromUtf8(maker);
    if (text.startsWith(prefix)) text = text.mid(prefix.size());
  }
  constexpr qsizetype kLength = 18;
  return text.size() > kLength ? text.left(kLength - 1) + QChar(0x2026) : text;
}

const roofline::DeviceModel& device_for(const roofline::MachineModel& model,
                                        kernels::Target target) {
  const auto found = std::ranges::find(
      model.devices, target, [](const roofline::DeviceModel& d) { return d.device.target; });
  return found == model.devices.end() ? model.devices.front() : *found;
}

PlaneMachine read_plane_machine(const QString& file) {
  auto model = std::make_shared<roofline::MachineModel>(
      roofline::load_machine_model(std::filesystem::path(file.toStdString())));
  if (model->devices.empty()) {
    throw std::runtime_error(file.toStdString() +
                             ": this machine model contains no device. Create one with `mansard "
                             "characterize -o machine.json` on that machine.");
  }
  const QString name = short_device_name(device_for(*model, kernels::Target::cuda).device.name);
  return {file, name, std::move(model)};
}

}  // namespace mansard::gui
