// SPDX-License-Identifier: Apache-2.0
// A trace in its own folder, and the profile imported from it.
#pragma once

#include <fstream>
#include <string>

#include "collector/import/import_result.h"
#include "collector/store/profile.h"
#include "tests/support/scratch.h"

namespace mansard::test {

class TraceFile {
 public:
  explicit TraceFile(const std::string& text, const std::string& name = "trace.json")
      : file_(scratch_ / name) {
    std::ofstream(file_, std::ios::binary) << text;
  }
  static TraceFile of_events(const std::string& events) {
    return TraceFile(R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}");
  }

  const std::filesystem::path& file() const { return file_; }
  std::filesystem::path output() const { return scratch_ / "imported.sqlite"; }

  store::Profile imported() const {
    result_ = collector::import_trace(file_, output(), nullptr);
    return store::load_profile(output());
  }
  // Result of the last import.
  const collector::ImportResult& result() const { return result_; }

  // The message that import_trace() throws, or "no error".
  std::string error() const {
    try {
      collector::import_trace(file_, output(), nullptr);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "no error";
  }

 private:
  test::Scratch scratch_;
  std::filesystem::path file_;
  mutable collector::ImportResult result_;
};

}  // namespace mansard::test
