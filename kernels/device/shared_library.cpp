// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/shared_library.h"

#include <dlfcn.h>
#include <stdexcept>
#include <utility>

namespace mansard::kernels {

SharedLibrary::SharedLibrary(std::string name, const std::string& package,
                             const std::vector<std::string>& candidates)
    : name_(std::move(name)) {
  std::string reasons;
  for (const std::string& candidate : candidates) {
    handle_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
    reasons += std::string(reasons.empty() ? "" : "; ") + dlerror();
  }
  throw std::runtime_error("cannot load " + name_ + ": " + reasons + ". Install " + package +
                           " or add its folder to LD_LIBRARY_PATH");
}

void* SharedLibrary::address_of(const char* symbol) const {
  if (void* const address = dlsym(handle_, symbol)) return address;
  throw std::runtime_error(name_ + " has no function " + symbol +
                           "; its version does not match this build of Mansard");
}

}  // namespace mansard::kernels
