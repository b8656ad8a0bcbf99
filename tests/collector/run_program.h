// SPDX-License-Identifier: Apache-2.0
// Runs a program of tests/collector/programs under the collector.
#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "collector/launch/launch.h"
#include "collector/store/profile.h"
#include "tests/support/scratch.h"

namespace mansard::test {

inline std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Ran {
  collector::LaunchResult result;
  std::string out;  // its standard output
  std::string err;
};

// MANSARD_TEST_PROGRAMS and MANSARD_TEST_COLLECTOR come from CMake.
inline std::string program(const std::string& name) {
  return std::string(MANSARD_TEST_PROGRAMS) + "/collector_program_" + name;
}

// `shell` is a command line for /bin/sh: programs, redirections, limits.
inline Ran run_shell(const Scratch& scratch, const std::string& shell,
                     const std::string& output = "run.sqlite",
                     const collector::RecordingOptions& recording = {}) {
  const std::filesystem::path out = scratch / "stdout";
  const std::filesystem::path err = scratch / "stderr";
  Ran ran;
  ran.result = collector::launch(
      {.command = {"/bin/sh", "-c", "exec >" + out.string() + " 2>" + err.string() + "; " + shell},
       .output = (scratch.folder() / output).string(),
       .collector = MANSARD_TEST_COLLECTOR,
       .recording = recording});
  ran.out = contents(out);
  ran.err = contents(err);
  return ran;
}

inline Ran run(const Scratch& scratch, const std::string& name, const std::string& arguments) {
  return run_shell(scratch, "exec " + program(name) + " " + arguments);
}

inline std::size_t count(const store::Profile& p, std::string_view text) {
  std::size_t n = 0;
  for (const store::NvtxRecord& r : p.nvtx) n += p.text(r) == text ? 1 : 0;
  return n;
}

inline std::shared_ptr<const store::NvtxRecord> find(const store::Profile& p,
                                                     std::string_view text) {
  for (const store::NvtxRecord& r : p.nvtx) {
    if (p.text(r) == text) return std::make_shared<const store::NvtxRecord>(r);
  }
  return nullptr;
}

}  // namespace mansard::test
