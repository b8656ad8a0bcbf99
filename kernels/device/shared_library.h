// SPDX-License-Identifier: Apache-2.0
// A library that is loaded when it is first needed, so that everything else works without it. It is
// never unloaded.
#pragma once

#include <string>
#include <vector>

namespace mansard::kernels {

class SharedLibrary {
 public:
  // Loads the first of `candidates` (names or paths) that loads. `name` and `package` are for error
  // messages: "cuBLASLt", "the cuBLAS runtime of CUDA 13". Throws std::runtime_error with the
  // loader's reason for each candidate.
  SharedLibrary(std::string name, const std::string& package,
                const std::vector<std::string>& candidates);

  // Throws std::runtime_error if the library has no such function.
  template <typename Function>
  void load(const char* symbol, Function& function) const {
    function = reinterpret_cast<Function>(address_of(symbol));
  }

 private:
  void* address_of(const char* symbol) const;

  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace mansard::kernels
