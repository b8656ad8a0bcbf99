// SPDX-License-Identifier: Apache-2.0
#include "analyzer/machine_choice.h"

#include <functional>

namespace mansard::analysis {

namespace {

struct Candidate {
  const roofline::MachineModel* machine = nullptr;
  const roofline::DeviceModel* device = nullptr;
};

// Returns the first match, but prefers measured ceilings over published ones.
Candidate find(const std::vector<roofline::MachineModel>& machines,
               const std::function<bool(const kernels::DeviceInfo&)>& matches) {
  Candidate best;
  for (const roofline::MachineModel& machine : machines) {
    for (const roofline::DeviceModel& device : machine.devices) {
      if (!matches(device.device)) continue;
      const bool measured = machine.provenance.origin == roofline::Origin::measured;
      if (best.device == nullptr ||
          (measured && best.machine->provenance.origin != roofline::Origin::measured)) {
        best = {&machine, &device};
      }
    }
  }
  return best;
}

// The device of `target` when the machine models hold exactly one.
Candidate only_one(const std::vector<roofline::MachineModel>& machines, kernels::Target target) {
  Candidate only;
  for (const roofline::MachineModel& machine : machines) {
    for (const roofline::DeviceModel& device : machine.devices) {
      if (device.device.target != target) continue;
      if (only.device != nullptr) return {};
      only = {&machine, &device};
    }
  }
  return only;
}

// How to get measured ceilings. The user of another tool's profile may not have access to its
// machine.
std::string how_to_measure(const store::SessionInfo& session, kernels::Target target) {
  const std::string device = target == kernels::Target::cuda ? "GPU" : "CPU";
  if (session.by_another_tool()) {
    return " If you have a machine model that was measured on a " + device +
           " of this type, pass it with --machine.";
  }
  return " To measure them, run `mansard characterize -o machine.json` on a machine with this " +
         device + " and pass the file with --machine.";
}

MachineChoice chosen(Candidate candidate, std::string note, const store::SessionInfo& session) {
  MachineChoice choice;
  choice.device = *candidate.device;
  choice.provenance = candidate.machine->provenance;
  if (choice.provenance.origin == roofline::Origin::datasheet) {
    const kernels::DeviceInfo& device = candidate.device->device;
    note += (note.empty() ? "" : " ") + std::string("Ceilings are published figures for ") +
            device.name + " (" + choice.provenance.source + "), not measurements." +
            how_to_measure(session, device.target);
  }
  choice.note = std::move(note);
  return choice;
}

MachineChoice none(const std::string& device, const store::SessionInfo& session,
                   kernels::Target target) {
  MachineChoice choice;
  choice.note = "No machine model for " + device + ": no ceilings and no SOL times." +
                how_to_measure(session, target);
  return choice;
}

// For a profile without a device name, for which no model can be looked up.
MachineChoice assume_only(const std::vector<roofline::MachineModel>& machines,
                          kernels::Target target, const store::SessionInfo& session) {
  const std::string what = target == kernels::Target::cuda ? "GPU" : "CPU";
  const Candidate only = only_one(machines, target);
  if (only.device == nullptr) {
    MachineChoice choice;
    choice.note = "The profile does not name the " + what +
                  ": no ceilings and no SOL times. If you know the " + what +
                  ", pass only its machine model with --machine.";
    return choice;
  }
  return chosen(only,
                "The profile does not name the " + what + ": assuming " + only.device->device.name +
                    ", the only " + what + " in the machine models.",
                session);
}

const store::GpuRecord* find_gpu(const store::Profile& profile, std::int32_t device_id) {
  for (const store::GpuRecord& gpu : profile.gpus) {
    if (gpu.id == device_id) return &gpu;
  }
  return profile.gpus.size() == 1 ? &profile.gpus.front() : nullptr;
}

}  // namespace

MachineChoice choose_gpu(const store::Profile& profile,
                         const std::vector<roofline::MachineModel>& machines,
                         std::int32_t device_id) {
  const store::SessionInfo& session = profile.session;
  const store::GpuRecord* gpu = find_gpu(profile, device_id);
  if (gpu == nullptr || gpu->name.empty()) {
    return assume_only(machines, kernels::Target::cuda, session);
  }

  const Candidate same = find(machines, [&](const kernels::DeviceInfo& device) {
    return device.target == kernels::Target::cuda && !gpu->uuid.empty() && device.uuid == gpu->uuid;
  });
  if (same.device != nullptr) return chosen(same, "", session);

  const Candidate product = find(machines, [&](const kernels::DeviceInfo& device) {
    return device.target == kernels::Target::cuda && device.name == gpu->name;
  });
  if (product.device != nullptr) {
    const bool other_card = product.machine->provenance.origin == roofline::Origin::measured &&
                            !gpu->uuid.empty() && !product.device->device.uuid.empty();
    const std::string note = other_card ? "Ceilings were measured on another " + gpu->name + " (" +
                                              product.device->device.uuid + " on " +
                                              product.machine->provenance.host + ")."
                                        : "";
    return chosen(product, note, session);
  }

  if (const roofline::MachineModel* sheet = roofline::find_datasheet(gpu->name)) {
    for (const roofline::DeviceModel& device : sheet->devices) {
      if (device.device.target == kernels::Target::cuda)
        return chosen({sheet, &device}, "", session);
    }
  }
  return none(gpu->name, session, kernels::Target::cuda);
}

MachineChoice choose_host(const store::Profile& profile,
                          const std::vector<roofline::MachineModel>& machines) {
  const store::SessionInfo& session = profile.session;
  if (session.cpu_name.empty()) return assume_only(machines, kernels::Target::host, session);
  const auto same_cpu = [&](const kernels::DeviceInfo& device) {
    return device.target == kernels::Target::host && device.name == session.cpu_name;
  };
  const Candidate same = find(machines, [&](const kernels::DeviceInfo& device) {
    return same_cpu(device) && device.uuid == session.host;
  });
  if (same.device != nullptr) return chosen(same, "", session);
  const Candidate product = find(machines, same_cpu);
  if (product.device == nullptr) return none(session.cpu_name, session, kernels::Target::host);
  return chosen(product,
                "Ceilings were measured on another machine with " + session.cpu_name + " (" +
                    product.device->device.uuid + ").",
                session);
}

}  // namespace mansard::analysis
