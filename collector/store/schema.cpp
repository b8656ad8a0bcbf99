// SPDX-License-Identifier: Apache-2.0
#include "collector/store/schema.h"

#include <span>

#include "cmake/embedded_file.h"

namespace mansard::store {

std::span<const EmbeddedFile> store_schema_files();

std::string enum_tables() { return std::string(store_schema_files().front().content); }

}  // namespace mansard::store
