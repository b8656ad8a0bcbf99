// SPDX-License-Identifier: Apache-2.0
#include "analyzer/machine_choice.h"

#include <functional>

namespace mansard {

namespace {

struct Candidate {
  const MachineModel* machine = nullptr;
  const DeviceModel* device = nullptr;
};

// Of several matching devices a measured one is preferred to a published one, else the first.
Candidate find(const std::vector<MachineModel>& machines,
               const std::function<bool(const DeviceInfo&)>& matches) {
  Candidate best;
  for (const MachineModel& machine : machines) {
    for (const DeviceModel& device : machine.devices) {
      if (!matches(device.device)) continue;
      const bool measured = machine.provenance.origin == Origin::measured;
      if (best.device == nullptr ||
          (measured && best.machine->provenance.origin != Origin::measured)) {
        best = {&machine, &device};
      }
    }
  }
  return best;
}

// The device of `target` when the machine models hold exactly one.
Candidate only_one(const std::vector<MachineModel>& machines, Target target) {
  Candidate only;
  for (const MachineModel& machine : machines) {
    for (const DeviceModel& device : machine.devices) {
      if (device.device.target != target) continue;
      if (only.device != nullptr) return {};
      only = {&machine, &device};
    }
  }
  return only;
}

std::string published_note(const MachineModel& machine, const DeviceModel& device) {
  return "Ceilings are published figures for " + device.device.name + " (" +
         machine.provenance.source +
         "), not measurements. Run `mansard characterize` on the machine and pass its model.";
}

MachineChoice chosen(Candidate candidate, std::string note) {
  MachineChoice choice;
  choice.device = *candidate.device;
  choice.provenance = candidate.machine->provenance;
  if (note.empty() && choice.provenance.origin == Origin::datasheet) {
    note = published_note(*candidate.machine, *candidate.device);
  }
  choice.note = std::move(note);
  return choice;
}

MachineChoice none(const std::string& device) {
  MachineChoice choice;
  choice.note = "No machine model for " + device +
                ": no ceilings and no speed of light. Run `mansard characterize` on the machine "
                "and pass the model with --machine.";
  return choice;
}

MachineChoice assume_only(const std::vector<MachineModel>& machines, Target target,
                          const std::string& what) {
  const Candidate only = only_one(machines, target);
  if (only.device == nullptr) return none("the run, whose profile names no " + what);
  return chosen(only, "The profile names no " + what + "; " + only.device->device.name +
                          ", the only one among the machine models, is assumed.");
}

const GpuRecord* find_gpu(const Profile& profile, std::int32_t device_id) {
  for (const GpuRecord& gpu : profile.gpus) {
    if (gpu.id == device_id) return &gpu;
  }
  return profile.gpus.size() == 1 ? &profile.gpus.front() : nullptr;
}

}  // namespace

MachineChoice choose_gpu(const Profile& profile, const std::vector<MachineModel>& machines,
                         std::int32_t device_id) {
  const GpuRecord* gpu = find_gpu(profile, device_id);
  if (gpu == nullptr || gpu->name.empty()) return assume_only(machines, Target::cuda, "GPU");

  const Candidate same = find(machines, [&](const DeviceInfo& device) {
    return device.target == Target::cuda && !gpu->uuid.empty() && device.uuid == gpu->uuid;
  });
  if (same.device != nullptr) return chosen(same, "");

  const Candidate product = find(machines, [&](const DeviceInfo& device) {
    return device.target == Target::cuda && device.name == gpu->name;
  });
  if (product.device != nullptr) {
    const bool other_card = product.machine->provenance.origin == Origin::measured &&
                            !gpu->uuid.empty() && !product.device->device.uuid.empty();
    return chosen(product, other_card ? "Ceilings were measured on another " + gpu->name + " (" +
                                            product.device->device.uuid + " on " +
                                            product.machine->provenance.host + ")."
                                      : "");
  }

  if (const MachineModel* sheet = find_datasheet(gpu->name)) {
    for (const DeviceModel& device : sheet->devices) {
      if (device.device.target == Target::cuda) return chosen({sheet, &device}, "");
    }
  }
  return none(gpu->name);
}

MachineChoice choose_host(const Profile& profile, const std::vector<MachineModel>& machines) {
  const SessionInfo& session = profile.session;
  if (session.cpu_name.empty()) return assume_only(machines, Target::host, "CPU");
  const auto same_cpu = [&](const DeviceInfo& device) {
    return device.target == Target::host && device.name == session.cpu_name;
  };
  const Candidate same = find(machines, [&](const DeviceInfo& device) {
    return same_cpu(device) && device.uuid == session.host;
  });
  if (same.device != nullptr) return chosen(same, "");
  const Candidate product = find(machines, same_cpu);
  if (product.device == nullptr) return none(session.cpu_name);
  return chosen(product, "Ceilings were measured on another machine with " + session.cpu_name +
                             " (" + product.device->device.uuid + ").");
}

}  // namespace mansard
