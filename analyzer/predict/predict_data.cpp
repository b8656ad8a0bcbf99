// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/predict_data.h"

#include <span>
#include <stdexcept>
#include <string>

#include "cmake/embedded_file.h"

namespace mansard::analysis {

std::span<const EmbeddedFile> predict_data_files();  // generated

CsvTable predict_data(std::string_view file) {
  for (const EmbeddedFile& embedded : predict_data_files()) {
    if (embedded.name == file) return CsvTable::parse(embedded.content, std::string(file));
  }
  throw std::runtime_error("this build has no data file '" + std::string(file) + "'");
}

}  // namespace mansard::analysis
