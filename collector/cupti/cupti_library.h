// SPDX-License-Identifier: Apache-2.0
// Loads CUPTI at run time.
#pragma once

#include <dlfcn.h>
#include <stdexcept>
#include <string>

#include <cupti_version.h>

namespace mansard::collector {

inline constexpr int kCuptiMajor = CUPTI_API_VERSION / 10000;

// Returns the program's own copy, if one is loaded. Throws std::runtime_error that lists where it
// was searched. The library stays loaded.
void* open_cupti_library();

// Throws std::runtime_error if the library lacks it.
template <class Function>
void find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    throw std::runtime_error("this CUPTI lacks " + std::string(name) + "; CUDA " +
                             std::to_string(kCuptiMajor) + ".0 or later is needed");
  }
}

}  // namespace mansard::collector
