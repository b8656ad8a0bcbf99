// SPDX-License-Identifier: Apache-2.0
// What the reader of a plane has chosen. It outlives the run that is shown.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "empirical_roofline/machine_model.h"

namespace mansard::gui {

enum class PlaneMarks { kernels, launches, both };

// Another machine, whose ceilings are drawn as well.
struct PlaneMachine {
  QString file;
  QString name;  // of its device, short
  std::shared_ptr<const roofline::MachineModel> model;
};

struct PlaneOptions {
  std::optional<MemoryLevel> level;  // whose bytes are counted; none: the figure's first
  std::set<MemoryLevel> hidden_levels;
  std::set<Precision> hidden_precisions;
  PlaneMarks marks = PlaneMarks::kernels;
  std::vector<PlaneMachine> machines;
};

// "H200" of "NVIDIA H200 141GB": what a reader knows it by.
QString short_device_name(const std::string& name);

// The device of a model to draw: one of the target, else its first. The model has a device.
const roofline::DeviceModel& device_for(const roofline::MachineModel& model,
                                        kernels::Target target);

// Throws std::runtime_error naming the file and what is wrong with it.
PlaneMachine read_plane_machine(const QString& file);

}  // namespace mansard::gui
