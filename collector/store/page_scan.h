// SPDX-License-Identifier: Apache-2.0
// Reads the rows of a table from the pages of the database file. SQLite runs a program of 20 to 30
// steps for every row; decoding the rows of large tables here takes a fifth of the time.
// Format: https://www.sqlite.org/fileformat2.html
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collector/store/sqlite.h"

namespace mansard::store {

// A range of rowids, both inclusive; by default all.
struct RowSpan {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

// Values are converted as SQLite does, except that the text of a whole number in a REAL column has
// no ".0". Texts are valid until the next step().
class PageScan {
 public:
  // Scans `rows` of `table` in the order of their rowids. `columns`: names in the table, "rowid",
  // or "" for NULL. Returns null if SQLite has to read the table: outside a transaction, if the
  // file has a write-ahead log, or for a kind of table that is not decoded here. `database` must
  // outlive the result, and the transaction must stay open.
  static std::unique_ptr<PageScan> open(Database& database, const std::string& table,
                                        const std::vector<std::string>& columns, RowSpan rows);

  // Returns whether there is another row. Throws SqliteError: SQLITE_CORRUPT for a damaged file or
  // one that contains more than its size allows, SQLITE_INTERRUPT as set by Database::watch().
  bool step();

  bool is_null(int column) const { return field(column).type == 0; }
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text_view(int column) const;

 private:
  // Serial type and first byte of a value. A type below 0 is the rowid.
  struct Field {
    std::int64_t type = 0;
    const unsigned char* at = nullptr;
  };
  // An interior page of the tree: its children that are left to visit, the next one last.
  using Children = std::vector<std::uint32_t>;

  static constexpr int kNull = -1;
  static constexpr int kRowid = -2;

  PageScan(Database& database, std::uint32_t root, std::vector<int> places, RowSpan rows);

  Field field(int column) const {
    const int place = places_[static_cast<std::size_t>(column)];
    if (place >= 0) return fields_[static_cast<std::size_t>(place)];
    return {place == kRowid ? std::int64_t{-1} : std::int64_t{0}, nullptr};
  }
  [[noreturn]] void fail() const;
  const unsigned char* page(std::uint32_t number);
  bool next_leaf();
  void enter(std::uint32_t number);
  bool read_cell(std::int64_t cell);
  const unsigned char* whole_payload(const unsigned char* local, std::int64_t local_bytes,
                                     std::int64_t bytes);
  void read_fields(const unsigned char* payload, std::int64_t bytes);

  Database& database_;
  std::vector<int> places_;  // by column: index in the record, kNull or kRowid
  RowSpan rows_;
  std::int64_t page_bytes_ = 0;
  std::int64_t usable_bytes_ = 0;  // of a page
  std::uint32_t pages_ = 0;        // in the file
  std::int64_t visits_ = 0;        // of pages; each has one parent

  std::vector<Children> path_;
  const unsigned char* leaf_ = nullptr;
  std::int64_t cell_ = 0, cells_ = 0;  // of the leaf
  bool ended_ = false;

  // Pages that were read at once.
  std::vector<unsigned char> window_;
  std::uint32_t window_first_ = 1, window_pages_ = 0;

  std::int64_t rowid_ = 0;
  std::vector<Field> fields_;                   // the first columns of the record
  std::vector<unsigned char> payload_;          // of a row that has overflow pages
  mutable std::vector<std::string> converted_;  // numbers as texts, by column
};

}  // namespace mansard::store
