// SPDX-License-Identifier: Apache-2.0
// write_gui_fixture FOLDER: writes a profile and its machine model, for tests of mansard-gui.
#include <cstdio>
#include <exception>
#include <fstream>

#include "tests/gui/fixture.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_gui_fixture FOLDER\n");
    return 2;
  }
  try {
    const std::filesystem::path folder = argv[1];
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    mansard::testing::write_training_run(folder / "training.sqlite");
    std::ofstream(folder / "h200.json") << mansard::roofline::to_json(mansard::testing::h200());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "write_gui_fixture: %s\n", e.what());
    return 1;
  }
  return 0;
}
