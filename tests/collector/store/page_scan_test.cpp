// SPDX-License-Identifier: Apache-2.0
// Scans of table pages against SQLite's own statements, and of damaged pages.
#include "collector/store/page_scan.h"

#include <fstream>
#include <random>
#include <sqlite3.h>

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace mansard::store {
namespace {

using test::Scratch;

using Columns = std::vector<std::string>;

Database open_reading(const std::filesystem::path& file) {
  Database database(file.string(), Database::Access::read_only);
  database.exec("BEGIN");
  return database;
}

// A table "t" (id INTEGER PRIMARY KEY, a, b REAL, c TEXT, late) whose rows have values of all
// storage classes and sizes, gaps between rowids, and no value in the last column at first.
void write_table(const std::filesystem::path& file, int page_bytes, int rows, unsigned seed) {
  std::ofstream(file).close();
  Database database(file.string(), Database::Access::read_write);
  database.exec("PRAGMA page_size=" + std::to_string(page_bytes));
  database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b REAL, c TEXT)");
  database.exec("CREATE TABLE other (x INTEGER, y TEXT)");
  std::mt19937_64 random(seed);
  const auto fill = [&](Statement& insert, std::int64_t id, bool has_late) {
    insert.bind(1, id);
    switch (random() % 6) {
      case 0:
        insert.bind(2, std::nullopt);
        break;
      case 1:
        insert.bind(2, 1e-3 * static_cast<double>(static_cast<std::int64_t>(random()) % 100000));
        break;
      case 2:
        insert.bind_copy(2, "  " + std::to_string(static_cast<int>(random())) + " words");
        break;
      case 3:
        insert.bind(2, static_cast<std::int64_t>(random() % 3));
        break;
      default:
        insert.bind(2, static_cast<std::int64_t>(random()) >> random() % 64);
    }
    if (random() % 2 == 0) {
      insert.bind(3, static_cast<std::int64_t>(random() % 1000));  // stored as an integer
    } else {
      insert.bind(3, static_cast<double>(random()) * (random() % 2 == 0 ? 1e-10 : -1e3));
    }
    const std::size_t size = random() % 50 == 0 ? random() % 200000 : random() % 60;
    insert.bind_copy(4, std::string(size, static_cast<char>('a' + random() % 26)));
    if (has_late) insert.bind(5, static_cast<std::int64_t>(random() % 100000));
    insert.step();
    insert.reset();
  };
  database.exec("BEGIN");
  Statement other = database.prepare("INSERT INTO other VALUES (?, ?)");
  Statement early = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?)");
  std::int64_t id = -50;
  for (int i = 0; i < rows / 2; ++i) {
    fill(early, id += 1 + static_cast<std::int64_t>(random() % 3), false);
    if (i % 7 == 0) other.run(std::int64_t{i}, std::string_view("in between"));
  }
  database.exec("COMMIT");
  database.exec("ALTER TABLE t ADD COLUMN late INTEGER");
  database.exec("BEGIN");
  Statement late = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?)");
  id += std::int64_t{1} << 40;
  for (int i = 0; i < rows / 2; ++i) {
    fill(late, id += 1 + static_cast<std::int64_t>(random() % 3), true);
  }
  database.exec("COMMIT");
  database.exec("DELETE FROM t WHERE id % 11 = 3");
}

// Returns the number of rows.
std::int64_t expect_equal(Database& database, PageScan& scan, const std::string& sql) {
  Statement rows = database.prepare(sql);
  std::int64_t count = 0;
  while (rows.step()) {
    EXPECT_TRUE(scan.step()) << sql << " has a row after " << count;
    for (int column = 0; column < 6; ++column) {
      EXPECT_EQ(scan.is_null(column), rows.is_null(column)) << count << ", column " << column;
      EXPECT_EQ(scan.integer(column), rows.integer(column)) << count << ", column " << column;
      EXPECT_EQ(scan.real(column), rows.real(column)) << count << ", column " << column;
      if (column == 4) continue;  // the text of a whole number in a REAL column
      EXPECT_EQ(scan.text_view(column), rows.text(column)) << count << ", column " << column;
    }
    ++count;
    if (testing::Test::HasFailure()) return count;
  }
  EXPECT_FALSE(scan.step()) << "more rows than " << count;
  return count;
}

TEST(PageScan, ReadsWhatSqliteReads) {
  const Scratch scratch;
  const Columns columns = {"c", "id", "a", "rowid", "b", "LATE"};
  for (const int page_bytes : {512, 4096, 65536}) {
    const std::filesystem::path file = scratch / (std::to_string(page_bytes) + ".sqlite");
    write_table(file, page_bytes, 3000, static_cast<unsigned>(page_bytes));
    Database database = open_reading(file);
    const std::string select = "SELECT c, id, a, rowid, b, late FROM t";
    const auto all = PageScan::open(database, "t", columns, {});
    ASSERT_NE(all, nullptr);
    EXPECT_GT(expect_equal(database, *all, select), 2000) << page_bytes;
    // Spans that start and end anywhere, also in the gap and outside.
    const std::int64_t gap = std::int64_t{1} << 39;
    for (const RowSpan span : {RowSpan{0, 10},
                               {500, 1000},
                               {1000, gap},
                               {gap, gap + 1},
                               {2 * gap, 3 * gap},
                               {3, 3},
                               {1000, 500}}) {
      const auto part = PageScan::open(database, "t", columns, span);
      expect_equal(database, *part,
                   select + " WHERE rowid BETWEEN " + std::to_string(span.first) + " AND " +
                       std::to_string(span.last));
    }
  }
}

TEST(PageScan, LeavesToSqliteWhatItDoesNotDecode) {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "a.sqlite";
  write_table(file, 4096, 10, 1);
  const auto is_scanned = [&](const std::filesystem::path& of, const std::string& table,
                              const std::string& column) {
    Database database = open_reading(of);
    return PageScan::open(database, table, {column}, {}) != nullptr;
  };
  EXPECT_TRUE(is_scanned(file, "t", "a"));
  EXPECT_TRUE(is_scanned(file, "T", ""));
  EXPECT_FALSE(is_scanned(file, "t", "unknown"));
  EXPECT_FALSE(is_scanned(file, "unknown", "a"));
  Database(file.string(), Database::Access::read_write)
      .exec(
          "CREATE TABLE without_rowid (a PRIMARY KEY) WITHOUT ROWID;"
          "CREATE TABLE generated (a, b AS (a + 1));"
          "CREATE TABLE defaults (a DEFAULT 7);"
          "CREATE VIEW view AS SELECT a FROM t");
  for (const char* table : {"without_rowid", "generated", "defaults", "view"}) {
    EXPECT_FALSE(is_scanned(file, table, "a")) << table;
  }
  {
    Database database(file.string(), Database::Access::read_only);
    EXPECT_EQ(PageScan::open(database, "t", {"a"}, {}), nullptr) << "outside of a transaction";
  }
  const std::filesystem::path utf16 = scratch / "utf16.sqlite";
  std::ofstream(utf16).close();
  Database(utf16.string(), Database::Access::read_write)
      .exec("PRAGMA encoding='UTF-16'; CREATE TABLE t (a)");
  EXPECT_FALSE(is_scanned(utf16, "t", "a"));
  Database logged(file.string(), Database::Access::read_write);
  logged.exec("PRAGMA journal_mode=WAL; INSERT INTO other VALUES (1, '')");
  EXPECT_FALSE(is_scanned(file, "t", "a")) << "with a write-ahead log";
}

// Returns the number of rows, or -1 if the file was found to be damaged.
std::int64_t rows_of(const std::filesystem::path& file) {
  try {
    Database database = open_reading(file);
    const auto scan = PageScan::open(database, "t", {"id", "a", "b", "c", "late"}, {});
    if (!scan) return -1;
    std::int64_t rows = 0;
    for (; scan->step(); ++rows) {
      for (int column = 0; column < 5; ++column) {
        scan->integer(column);
        scan->real(column);
        scan->text_view(column);
      }
    }
    return rows;
  } catch (const SqliteError& error) {
    EXPECT_TRUE(error.code == SQLITE_CORRUPT || error.code == SQLITE_NOTADB ||
                error.code == SQLITE_ERROR)
        << error.what();
    return -1;
  }
}

TEST(PageScan, SurvivesDamage) {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "a.sqlite";
  write_table(file, 512, 400, 3);
  std::string content;
  {
    std::ifstream in(file, std::ios::binary);
    content.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::mt19937 random(5);
  int damaged = 0;
  for (int i = 0; i < 400; ++i) {
    std::string changed = content;
    for (int k = 0; k < 20; ++k) {
      // The first bytes of pages hold their kind, and the offsets of rows.
      const std::size_t page = random() % (content.size() / 512);
      const std::size_t at = 512 * page + (k % 2 == 0 ? random() % 40 : random() % 512);
      if (at >= 100) changed[at] = static_cast<char>(random());
    }
    std::ofstream(file, std::ios::binary | std::ios::trunc) << changed;
    damaged += rows_of(file) < 0;
  }
  EXPECT_GT(damaged, 50);
}

TEST(PageScan, RefusesATreeThatContainsItself) {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "a.sqlite";
  write_table(file, 512, 400, 3);
  std::int64_t root = 0;
  {
    Database database = open_reading(file);
    Statement schema = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 't'");
    ASSERT_TRUE(schema.step());
    root = schema.integer(0);
  }
  std::fstream changed(file, std::ios::in | std::ios::out | std::ios::binary);
  changed.seekp((root - 1) * 512 + 8);  // the last child of an interior page
  for (int shift = 24; shift >= 0; shift -= 8) changed.put(static_cast<char>(root >> shift));
  changed.close();
  EXPECT_EQ(rows_of(file), -1);
}

TEST(PageScan, StopsWhenAsked) {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "a.sqlite";
  write_table(file, 4096, 1000, 3);
  Database database = open_reading(file);
  database.watch(500, [] { return false; });
  const auto scan = PageScan::open(database, "t", {"a", "b"}, {});
  ASSERT_NE(scan, nullptr);
  int rows = 0;
  try {
    while (scan->step()) ++rows;
    FAIL() << "all rows were read";
  } catch (const SqliteError& error) {
    EXPECT_EQ(error.code, SQLITE_INTERRUPT);
  }
  EXPECT_GT(rows, 10);
  EXPECT_LT(rows, 500);
}

}  // namespace
}  // namespace mansard::store
