// SPDX-License-Identifier: Apache-2.0
#include "collector/store/page_scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <sqlite3.h>

namespace mansard::store {
namespace {

// Pages are read in windows of this size: tables that were written at the same time alternate in
// runs of pages.
constexpr std::int64_t kWindow_bytes = 256 << 10;
constexpr std::size_t kMaxDepth = 20;  // SQLite's own limit
constexpr std::int64_t kMaxPayload_bytes = 64 << 20;
constexpr int kInteriorPage = 5, kLeafPage = 13;

template <class Word>
Word big_endian(const unsigned char* at) {
  static_assert(std::endian::native == std::endian::little);
  Word word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (sizeof word == 2) return __builtin_bswap16(word);
  if constexpr (sizeof word == 4) return __builtin_bswap32(word);
  return __builtin_bswap64(word);
}

// Returns the byte after a variable-length integer, or null if it does not end before `end`.
const unsigned char* read_varint(const unsigned char* at, const unsigned char* end,
                                 std::uint64_t& value) {
  if (at < end && *at < 0x80) {
    value = *at;
    return at + 1;
  }
  value = 0;
  for (int i = 0; i < 8; ++i, ++at) {
    if (at >= end) return nullptr;
    value = value << 7 | (*at & 0x7f);
    if (*at < 0x80) return at + 1;
  }
  if (at >= end) return nullptr;
  value = value << 8 | *at;
  return at + 1;
}

constexpr std::array<std::int64_t, 12> kNumberBytes = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};

std::int64_t bytes_of(std::int64_t type) {
  return type < 12 ? kNumberBytes[static_cast<std::size_t>(type)] : (type - 12) / 2;
}

std::int64_t number_of(std::int64_t type, const unsigned char* at) {
  switch (type) {
    case 1:
      return static_cast<std::int8_t>(*at);
    case 2:
      return static_cast<std::int16_t>(big_endian<std::uint16_t>(at));
    case 3:
      return std::int64_t{static_cast<std::int8_t>(*at)} * 65536 +
             big_endian<std::uint16_t>(at + 1);
    case 4:
      return static_cast<std::int32_t>(big_endian<std::uint32_t>(at));
    case 5:
      return std::int64_t{static_cast<std::int16_t>(big_endian<std::uint16_t>(at))} * 4294967296 +
             big_endian<std::uint32_t>(at + 2);
    case 6:
      return static_cast<std::int64_t>(big_endian<std::uint64_t>(at));
    case 9:
      return 1;
    default:
      return 0;
  }
}

double real_of(const unsigned char* at) {
  return std::bit_cast<double>(big_endian<std::uint64_t>(at));
}

std::string_view text_of(std::int64_t type, const unsigned char* at) {
  return {reinterpret_cast<const char*>(at), static_cast<std::size_t>(bytes_of(type))};
}

bool contains_word(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

bool equal_names(std::string_view a, std::string_view b) {
  return a.size() == b.size() && contains_word(a, [&] {
           std::string upper(b);
           for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
           return upper;
         }());
}

struct TableLayout {
  std::uint32_t root = 0;
  std::vector<std::string> columns;  // as in a record
  int rowid_column = -1;             // INTEGER PRIMARY KEY, which is NULL in a record
};

// Nothing for tables whose records are not stored as this file decodes them.
std::optional<TableLayout> layout_of(Database& database, const std::string& table) {
  Statement schema = database.prepare(
      "SELECT rootpage, sql FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE");
  schema.bind(1, table);
  if (!schema.step()) return std::nullopt;
  TableLayout layout;
  const std::int64_t root = schema.integer(0);
  if (root < 2 || root > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  layout.root = static_cast<std::uint32_t>(root);
  const std::string sql = schema.text(1);
  for (const std::string_view word : {"WITHOUT", "VIRTUAL", "GENERATED", "DEFAULT", "DESC"}) {
    if (contains_word(sql, word)) return std::nullopt;
  }
  Statement info = database.prepare("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)");
  info.bind(1, table);
  int keys = 0;
  while (info.step()) {
    if (info.integer(3) != 0) return std::nullopt;
    if (info.integer(2) != 0) {
      ++keys;
      if (equal_names(info.text_view(1), "INTEGER")) {
        layout.rowid_column = static_cast<int>(layout.columns.size());
      }
    }
    layout.columns.push_back(info.text(0));
  }
  if (keys > 1) layout.rowid_column = -1;
  return layout;
}

}  // namespace

std::unique_ptr<PageScan> PageScan::open(Database& database, const std::string& table,
                                         const std::vector<std::string>& columns, RowSpan rows) {
  if (!database.in_transaction() || !database.is_without_log()) return nullptr;
  const std::optional<TableLayout> layout = layout_of(database, table);
  if (!layout) return nullptr;
  std::vector<int> places;
  for (const std::string& name : columns) {
    const auto known = std::ranges::find_if(
        layout->columns, [&](const std::string& column) { return equal_names(column, name); });
    const int place = static_cast<int>(known - layout->columns.begin());
    if (name.empty()) {
      places.push_back(kNull);
    } else if (known != layout->columns.end()) {
      places.push_back(place == layout->rowid_column ? kRowid : place);
    } else if (name == "rowid") {
      places.push_back(kRowid);
    } else {
      return nullptr;
    }
  }
  std::unique_ptr<PageScan> scan(new PageScan(database, layout->root, std::move(places), rows));
  return scan->page_bytes_ > 0 ? std::move(scan) : nullptr;
}

PageScan::PageScan(Database& database, std::uint32_t root, std::vector<int> places, RowSpan rows)
    : database_(database), places_(std::move(places)), rows_(rows), converted_(places_.size()) {
  std::array<unsigned char, 100> head;
  database_.read_bytes(0, head.data(), head.size());
  constexpr std::uint32_t kUtf8 = 1;
  if (big_endian<std::uint32_t>(&head[56]) != kUtf8) return;
  const int written_bytes = big_endian<std::uint16_t>(&head[16]);
  const std::int64_t page_bytes = written_bytes == 1 ? 65536 : written_bytes;
  usable_bytes_ = page_bytes - head[20];
  if (page_bytes < 512 || (page_bytes & (page_bytes - 1)) != 0 || usable_bytes_ < 480) fail();
  page_bytes_ = page_bytes;
  pages_ = static_cast<std::uint32_t>(std::min<std::int64_t>(
      database_.file_bytes() / page_bytes, std::numeric_limits<std::uint32_t>::max() - 1));
  const int last = places_.empty() ? -1 : *std::ranges::max_element(places_);
  fields_.resize(static_cast<std::size_t>(std::max(last + 1, 0)));
  path_.push_back({root});
}

void PageScan::fail() const {
  throw SqliteError(SQLITE_CORRUPT, database_.file_name() + ": database disk image is malformed");
}

const unsigned char* PageScan::page(std::uint32_t number) {
  if (number < 1 || number > pages_) fail();
  if (number < window_first_ || number - window_first_ >= window_pages_) {
    const std::int64_t wanted = std::max<std::int64_t>(1, kWindow_bytes / page_bytes_);
    window_pages_ = 0;
    const auto count = std::min<std::int64_t>(wanted, std::int64_t{pages_} - number + 1);
    window_.resize(static_cast<std::size_t>(wanted * page_bytes_));
    database_.read_bytes((std::int64_t{number} - 1) * page_bytes_, window_.data(),
                         count * page_bytes_);
    window_first_ = number;
    window_pages_ = static_cast<std::uint32_t>(count);
  }
  return window_.data() + (number - window_first_) * page_bytes_;
}

// Adds the children of an interior page to the path, or makes a leaf the current one.
void PageScan::enter(std::uint32_t number) {
  // A page that has several parents seems to hold its rows several times.
  if (++visits_ > pages_) {
    throw SqliteError(SQLITE_CORRUPT, database_.file_name() + ": " + kTooMuchData);
  }
  if (path_.size() > kMaxDepth) fail();
  const unsigned char* const at = page(number);
  const std::int64_t cells = big_endian<std::uint16_t>(at + 3);
  if (at[0] == kLeafPage) {
    if (8 + 2 * cells > usable_bytes_) fail();
    leaf_ = at;
    cell_ = 0;
    cells_ = cells;
    return;
  }
  if (at[0] != kInteriorPage || 12 + 2 * cells > usable_bytes_) fail();
  Children children;
  // A child holds the rowids above the key before it, up to its own key.
  bool is_needed = true;
  for (std::int64_t i = 0; i < cells && is_needed; ++i) {
    const std::int64_t offset = big_endian<std::uint16_t>(at + 12 + 2 * i);
    if (offset + 5 > usable_bytes_) fail();
    std::uint64_t key = 0;
    if (read_varint(at + offset + 4, at + usable_bytes_, key) == nullptr) fail();
    const auto last = static_cast<std::int64_t>(key);
    if (last >= rows_.first) children.push_back(big_endian<std::uint32_t>(at + offset));
    is_needed = last < rows_.last;
  }
  if (is_needed) children.push_back(big_endian<std::uint32_t>(at + 8));
  std::ranges::reverse(children);
  path_.push_back(std::move(children));
}

bool PageScan::next_leaf() {
  leaf_ = nullptr;
  while (leaf_ == nullptr) {
    while (!path_.empty() && path_.back().empty()) path_.pop_back();
    if (path_.empty()) return false;
    const std::uint32_t next = path_.back().back();
    path_.back().pop_back();
    enter(next);
  }
  return true;
}

bool PageScan::step() {
  while (!ended_) {
    while (cell_ < cells_) {
      if (!read_cell(cell_++)) continue;
      database_.spend(&ReadBudget::rows, 1);
      database_.count_steps(static_cast<int>(places_.size()) + 2);
      return true;
    }
    ended_ = !next_leaf();
  }
  return false;
}

// Returns false for a row outside of the span.
bool PageScan::read_cell(std::int64_t cell) {
  const unsigned char* const end = leaf_ + usable_bytes_;
  const std::int64_t offset = big_endian<std::uint16_t>(leaf_ + 8 + 2 * cell);
  if (offset >= usable_bytes_) fail();
  std::uint64_t bytes = 0, rowid = 0;
  const unsigned char* at = read_varint(leaf_ + offset, end, bytes);
  if (at != nullptr) at = read_varint(at, end, rowid);
  if (at == nullptr || bytes > kMaxPayload_bytes) fail();
  rowid_ = static_cast<std::int64_t>(rowid);
  if (rowid_ < rows_.first || rowid_ > rows_.last) return false;
  const auto payload_bytes = static_cast<std::int64_t>(bytes);
  // "B-tree Cell Format" of the file format: P, X, M and K.
  const std::int64_t most_local = usable_bytes_ - 35;
  std::int64_t local = payload_bytes;
  if (payload_bytes > most_local) {
    const std::int64_t least_local = (usable_bytes_ - 12) * 32 / 255 - 23;
    local = least_local + (payload_bytes - least_local) % (usable_bytes_ - 4);
    if (local > most_local) local = least_local;
  }
  if (end - at < local + (local < payload_bytes ? 4 : 0)) fail();
  read_fields(local < payload_bytes ? whole_payload(at, local, payload_bytes) : at, payload_bytes);
  return true;
}

// The part of a row in its leaf, and those in its overflow pages.
const unsigned char* PageScan::whole_payload(const unsigned char* local, std::int64_t local_bytes,
                                             std::int64_t bytes) {
  payload_.resize(static_cast<std::size_t>(bytes));
  std::memcpy(payload_.data(), local, static_cast<std::size_t>(local_bytes));
  std::uint32_t next = big_endian<std::uint32_t>(local + local_bytes);
  std::array<unsigned char, 4> link;
  for (std::int64_t at = local_bytes; at < bytes;) {
    if (next < 2 || next > pages_) fail();
    const std::int64_t start = (std::int64_t{next} - 1) * page_bytes_;
    const std::int64_t part = std::min(bytes - at, usable_bytes_ - 4);
    database_.read_bytes(start, link.data(), link.size());
    database_.read_bytes(start + 4, payload_.data() + at, part);
    next = big_endian<std::uint32_t>(link.data());
    at += part;
  }
  return payload_.data();
}

void PageScan::read_fields(const unsigned char* payload, std::int64_t bytes) {
  const unsigned char* const end = payload + bytes;
  std::uint64_t head_bytes = 0;
  const unsigned char* at = read_varint(payload, end, head_bytes);
  if (at == nullptr || head_bytes > static_cast<std::uint64_t>(bytes)) fail();
  const unsigned char* const head_end = payload + head_bytes;
  const unsigned char* value = head_end;
  for (Field& field : fields_) {
    if (at >= head_end) {  // the column was added to the table after this row
      field = {};
      continue;
    }
    std::uint64_t type = 0;
    at = read_varint(at, head_end, type);
    if (at == nullptr || type > 2 * kMaxPayload_bytes + 13 || type == 10 || type == 11) fail();
    field = {static_cast<std::int64_t>(type), value};
    const std::int64_t size = bytes_of(field.type);
    if (size > end - value) fail();
    value += size;
  }
}

std::int64_t PageScan::integer(int column) const {
  const Field f = field(column);
  if (f.type < 0) return rowid_;
  if (f.type == 7) {
    const double real = real_of(f.at);
    constexpr double kMost = 9223372036854775807.0;
    if (!(real > -kMost)) return std::numeric_limits<std::int64_t>::min();
    return real >= kMost ? std::numeric_limits<std::int64_t>::max()
                         : static_cast<std::int64_t>(real);
  }
  if (f.type < 12) return number_of(f.type, f.at);
  std::string_view text = text_of(f.type, f.at);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size()));
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double PageScan::real(int column) const {
  const Field f = field(column);
  if (f.type == 7) return real_of(f.at);
  if (f.type < 12) return static_cast<double>(integer(column));
  std::string_view text = text_of(f.type, f.at);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size()));
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string_view PageScan::text_view(int column) const {
  const Field f = field(column);
  if (f.type == 0) return {};
  std::string_view text;
  std::string& converted = converted_[static_cast<std::size_t>(column)];
  if (f.type >= 12) {
    text = text_of(f.type, f.at);
  } else if (f.type == 7) {
    std::array<char, 40> digits;
    const int size = std::snprintf(digits.data(), digits.size(), "%.15g", real_of(f.at));
    converted.assign(digits.data(), static_cast<std::size_t>(size));
    if (converted.find_first_not_of("-0123456789") == std::string::npos) converted += ".0";
    text = converted;
  } else {
    converted = std::to_string(integer(column));
    text = converted;
  }
  database_.spend(&ReadBudget::text_bytes, static_cast<std::int64_t>(text.size()));
  return text;
}

}  // namespace mansard::store
