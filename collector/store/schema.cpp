// SPDX-License-Identifier: Apache-2.0
#include "collector/store/schema.h"

#include <span>
#include <stdexcept>

#include "cmake/embedded_file.h"

namespace mansard::store {

std::span<const EmbeddedFile> store_schema_files();

namespace {

std::string_view embedded(std::string_view name) {
  for (const EmbeddedFile& file : store_schema_files()) {
    if (file.name == name) return file.content;
  }
  throw std::logic_error(std::string(name) + " was not embedded");
}

}  // namespace

std::string create_statement(std::string_view table) {
  const std::string_view schema = embedded("schema.sql");
  const std::string head = "CREATE TABLE " + std::string(table) + " (";
  const std::size_t begin = schema.find(head);
  if (begin == std::string_view::npos) {
    throw std::logic_error("schema.sql has no table " + std::string(table));
  }
  return std::string(schema.substr(begin, schema.find("\n);", begin) + 3 - begin));
}

std::string enum_tables() { return std::string(embedded("enums.sql")); }

}  // namespace mansard::store
