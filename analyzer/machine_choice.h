// SPDX-License-Identifier: Apache-2.0
// Chooses the device of a machine model whose ceilings apply to a profile.
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
  std::string note;  // caveat for the reader; empty for an exact match with measured ceilings
};

// `device_id`: the CUDA device in the profile. Order of preference: a model of the same GPU (UUID),
// a measured model with the same product name, published figures.
MachineChoice choose_gpu(const store::Profile& profile,
                         const std::vector<roofline::MachineModel>& machines,
                         std::int32_t device_id);

// Matches the CPU model name; prefers a model of the same host.
MachineChoice choose_host(const store::Profile& profile,
                          const std::vector<roofline::MachineModel>& machines);

}  // namespace mansard::analysis
