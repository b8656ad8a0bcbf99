// SPDX-License-Identifier: Apache-2.0
// The text of schema.sql and enums.sql, table by table.
#pragma once

#include <string>
#include <string_view>

namespace mansard {

// Raised when a reader of the previous version would misread the file. Adding tables or columns
// does not raise it.
inline constexpr int kStoreSchemaVersion = 1;

// jsonText of a range that was open already when recording began.
inline constexpr std::string_view kBeganEarlier = R"({"beganBeforeRecording":true})";

// The CREATE TABLE statement of `table`. Throws std::logic_error when schema.sql has none.
std::string create_statement(std::string_view table);

// Creates and fills every ENUM_ table.
std::string enum_tables();

}  // namespace mansard
