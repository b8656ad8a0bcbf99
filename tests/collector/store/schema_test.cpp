// SPDX-License-Identifier: Apache-2.0
// The tables that tables.h declares are those of docs/schema/profile.sql.
#include <fstream>
#include <iterator>
#include <sstream>

#include <gtest/gtest.h>

#include "collector/store/nsight_names.h"
#include "collector/store/tables.h"

namespace mansard::store {
namespace {

std::string documented_schema() {
  std::string text =
      "-- SPDX-License-Identifier: Apache-2.0\n"
      "-- The tables of a profile. Names and columns are those of Nsight Systems' SQLite export "
      "(schema\n-- 3.25.0), so that SQL written for one runs on the other; times are nanoseconds "
      "since the session's\n-- start. Tables with the prefix MANSARD_ are Mansard's own. Each is "
      "created when its first row is written.\n";
  for_each_table([&](const auto& declared) {
    text += '\n';
    std::istringstream about{std::string(declared.about)};
    for (std::string line; std::getline(about, line);) text += "-- " + line + '\n';
    text += create_statement(declared) + ";\n";
  });
  return text;
}

// After a change: MANSARD_UPDATE_GOLDEN=1 build/dev/bin/test_collector --gtest_filter='Schema.*'
TEST(Schema, IsTheDocumentedOne) {
  const std::string file = MANSARD_TEST_SOURCE_FOLDER "/docs/schema/profile.sql";
  if (std::getenv("MANSARD_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << documented_schema();
  std::ifstream stream(file);
  EXPECT_EQ(documented_schema(), std::string(std::istreambuf_iterator<char>(stream), {}));
}

TEST(Schema, ColumnsOfUnknownTablesAreClassifiedByName) {
  EXPECT_EQ(column_kind("OSRT_API", "globalTid"), ColumnKind::process);
  EXPECT_EQ(column_kind("OSRT_API", "nameId"), ColumnKind::string);
  EXPECT_EQ(column_kind("OSRT_API", "returnValue"), ColumnKind::plain);
  EXPECT_EQ(column_kind("NEW_TABLE", "startNs"), ColumnKind::time);
  // One column name in two tables.
  EXPECT_EQ(column_kind("MANSARD_WORK", "eventId"), ColumnKind::event);
  EXPECT_EQ(column_kind("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "eventId"), ColumnKind::plain);
  EXPECT_EQ(column_kind("NEW_TABLE", "eventId"), ColumnKind::plain);
}

}  // namespace
}  // namespace mansard::store
