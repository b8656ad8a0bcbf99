// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_checks.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "collector/launch/launch.h"
#include "empirical_roofline/measure/nvml_device.h"
#include "kernels/device_info.h"
#include "support/units.h"

namespace mansard::cli {
namespace {

std::string read_file(const char* path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Check cpu() {
  const kernels::DeviceInfo d = kernels::host_device();
  Check c{"CPU", Health::ok, "", ""};
  c.found = d.name + ", " + std::to_string(d.units) + " cores available to this process, " +
            d.instruction_set;
  if (d.l3_bytes > 0) c.found += ", L3 " + format_capacity(d.l3_bytes);
  return c;
}

Check gpus() {
  const std::string reason = kernels::cuda_unavailable_reason();
  if (!reason.empty()) {
    return {"GPU", Health::limited, reason,
            MANSARD_HAVE_CUDA ? "GPU ceilings and kernels are not available; if this machine has a "
                                "GPU, install the NVIDIA driver"
                              : "put nvcc on PATH and rebuild to enable GPU support"};
  }
  std::string found;
  for (const kernels::DeviceInfo& d : kernels::cuda_devices()) {
    if (!found.empty()) found += "; ";
    found += d.name + " (" + d.instruction_set + ", " + std::to_string(d.units) + " SMs, " +
             format_capacity(d.memory_bytes) + ")";
  }
  return {"GPU", Health::ok, found, ""};
}

Check nvml(const kernels::DeviceInfo& gpu) {
  const auto library = roofline::NvmlDevice::open(gpu.uuid);
  if (library == nullptr) {
    return {"NVML", Health::limited, "libnvidia-ml.so.1 not found or unusable",
            "measurements will lack clock and power; the library is part of the NVIDIA driver"};
  }
  const roofline::GpuState s = library->state();
  Check c{"NVML", Health::ok, "driver " + library->driver_version(), ""};
  c.found += ", SM clock " + format_si(s.sm_clock_hz, "Hz") + ", " + format_si(s.power_w, "W");
  if (library->other_processes() > 0) {
    c.health = Health::limited;
    c.found += ", used by " + std::to_string(library->other_processes()) + " other process(es)";
    c.advice =
        "measure on an idle GPU: stop the other processes, or select another GPU with "
        "CUDA_VISIBLE_DEVICES";
  }
  return c;
}

Check collector() {
  try {
    return {"Collector", Health::ok, collector::find_collector().string(), ""};
  } catch (const std::exception& error) {
    return {"Collector", Health::failed, error.what(),
            "'mansard profile' needs it; rebuild or reinstall Mansard"};
  }
}

Check cupti() {
#ifdef MANSARD_CUPTI_LIBRARY
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", MANSARD_CUPTI_LIBRARY}) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      dlclose(handle);
      return {"CUPTI", Health::ok, name, ""};
    }
  }
  return {
      "CUPTI", Health::limited, "cannot load libcupti",
      "profiles will contain NVTX ranges but no GPU work; add the CUDA toolkit's library folder "
      "to LD_LIBRARY_PATH"};
#else
  return {"CUPTI", Health::limited, "built without CUPTI headers",
          "profiles will contain NVTX ranges but no GPU work; install the CUDA toolkit with CUPTI "
          "and rebuild"};
#endif
}

Check counters() {
  const std::string restriction = counter_restriction(read_file("/proc/driver/nvidia/params"));
  if (restriction.empty()) return {"Hardware counters", Health::ok, "allowed for all users", ""};
  if (::geteuid() == 0) return {"Hardware counters", Health::ok, "allowed (root)", ""};
  return {"Hardware counters", Health::limited, restriction,
          "tracing works without them; to read counters, run as root or load the driver with "
          "NVreg_RestrictProfilingToAdminUsers=0"};
}

// CUDA and NVTX load only one injected tool each.
void injection_conflicts(std::vector<Check>& checks) {
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    checks.push_back({"Injection", Health::limited, std::string(name) + "=" + value,
                      "'mansard profile' overrides this variable for the program it starts, so the "
                      "other tool will record nothing there"});
  }
  const char* mps = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  if (mps != nullptr && *mps != '\0') {
    checks.push_back({"MPS", Health::limited, std::string("CUDA_MPS_PIPE_DIRECTORY=") + mps,
                      "hardware counters cannot be read under the Multi-Process Service (MPS)"});
  }
}

Check gui() {
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "mansard-gui";
  if (std::filesystem::exists(program)) return {"GUI", Health::ok, program.string(), ""};
  return {"GUI", Health::limited, "mansard-gui is not built",
          "install qt6-base-dev and rebuild to enable 'mansard gui'"};
}

}  // namespace

std::string counter_restriction(const std::string& driver_params) {
  std::istringstream lines(driver_params);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.rfind("RmProfilingAdminOnly: 1", 0) == 0) return "only administrators may read them";
  }
  return "";
}

std::vector<Check> doctor_checks() {
  std::vector<Check> checks = {cpu(), gpus()};
  const std::vector<kernels::DeviceInfo> devices = kernels::cuda_devices();
  for (const kernels::DeviceInfo& gpu : devices) checks.push_back(nvml(gpu));
  checks.push_back(collector());
  if (!devices.empty()) {
    checks.push_back(cupti());
    checks.push_back(counters());
  }
  injection_conflicts(checks);
  checks.push_back(gui());
  return checks;
}

}  // namespace mansard::cli
