// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/cupti_library.h"

namespace mansard::collector {

void* open_cupti_library() {
  const std::string soname = "libcupti.so." + std::to_string(kCuptiMajor);
  // The program may have its own CUPTI (PyTorch does); two copies in one process would conflict.
  if (void* loaded = dlopen(soname.c_str(), RTLD_NOW | RTLD_NOLOAD)) return loaded;
  std::string tried;
  for (const std::string& name :
       {std::string(MANSARD_CUPTI_LIBRARY), soname, std::string("libcupti.so")}) {
    if (name.empty()) continue;
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    const char* reason = dlerror();
    tried += "\n  " + std::string(reason != nullptr ? reason : name);
  }
  throw std::runtime_error("cannot load CUPTI; add its folder to LD_LIBRARY_PATH:" + tried);
}

}  // namespace mansard::collector
