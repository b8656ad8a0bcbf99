// SPDX-License-Identifier: Apache-2.0
// Display options of a plane. They are kept when another run is shown.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "empirical_roofline/machine_model.h"

namespace mansard::gui {

enum class PlaneMarks { kernels, launches, both };

// Another machine whose ceilings are drawn too.
struct PlaneMachine {
  QString file;
  QString name;  // short name of its device
  std::shared_ptr<const roofline::MachineModel> model;
};

struct PlaneOptions {
  std::optional<MemoryLevel> level;  // tier at which bytes are counted; empty: the figure's first
  std::set<MemoryLevel> hidden_levels;
  std::set<Precision> hidden_precisions;
  PlaneMarks marks = PlaneMarks::kernels;
  std::vector<PlaneMachine> machines;
};

// Short name for users: "H200" for "NVIDIA H200 141GB".
QString short_device_name(const std::string& name);

// The device of a model to draw: the first with this target, otherwise the first. Requires a
// device.
const roofline::DeviceModel& device_for(const roofline::MachineModel& model,
                                        kernels::Target target);

// Throws std::runtime_error with the file and the problem.
PlaneMachine read_plane_machine(const QString& file);

}  // namespace mansard::gui
