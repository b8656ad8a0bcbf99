// SPDX-License-Identifier: Apache-2.0
// Which device of which machine model a profile is held against.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/store/profile.h"
#include "empirical_roofline/machine_model.h"

namespace mansard::analysis {

struct MachineChoice {
  std::optional<roofline::DeviceModel> device;
  roofline::Provenance provenance;
  std::string note;  // what the reader must know of the choice; empty for an exact, measured match
};

// `device_id`: the CUDA device, as the profile numbers it, that did the work. In this order: the
// model of that very GPU (UUID), a measured model of its product name, the published figures.
MachineChoice choose_gpu(const store::Profile& profile,
                         const std::vector<roofline::MachineModel>& machines,
                         std::int32_t device_id);

// By CPU model name, the same host first.
MachineChoice choose_host(const store::Profile& profile,
                          const std::vector<roofline::MachineModel>& machines);

}  // namespace mansard::analysis
