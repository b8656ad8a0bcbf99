// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "collector/launch/launch.h"

namespace mansard::collector {

std::filesystem::path find_collector() {
  namespace fs = std::filesystem;
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  // bin/mansard and lib/libmansard_collector.so, in the build tree as installed; with
  // distributions' library folders.
  std::string tried;
  for (const char* folder : {"../lib", "../lib64", "../lib/x86_64-linux-gnu",
                             "../lib/aarch64-linux-gnu", "../../lib", "."}) {
    const fs::path library = (program / folder / "libmansard_collector.so").lexically_normal();
    if (fs::exists(library)) return fs::canonical(library);
    tried += (tried.empty() ? "" : ", ") + library.parent_path().string();
  }
  throw std::runtime_error("libmansard_collector.so was not found in " + tried +
                           ". Build the target mansard_collector, or reinstall Mansard.");
}

}  // namespace mansard::collector
