// SPDX-License-Identifier: Apache-2.0
// The work of XLA's fusions. XLA opens a range for each operation that it executes, which names an
// instruction of a module but states no shapes; those are in the text of the module, which XLA
// writes to a folder that is given in XLA_FLAGS.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace mansard::collector {

class XlaDump {
 public:
  XlaDump();   // creates the folder
  ~XlaDump();  // and removes it
  XlaDump(const XlaDump&) = delete;
  XlaDump& operator=(const XlaDump&) = delete;

  // XLA_FLAGS for the program: the user's, and the folder. Empty if the user has chosen one, or
  // none could be created.
  std::string flags() const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

// Adds the work (kernels/annotation/hlo_work.h) of the operations that the ranges of a finished
// profile name, from the modules in the folder. Returns the number of ranges. Throws
// std::runtime_error if the profile cannot be read or written.
std::size_t add_xla_work(const std::filesystem::path& profile, const std::filesystem::path& folder);

}  // namespace mansard::collector
