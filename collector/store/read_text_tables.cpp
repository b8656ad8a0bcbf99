// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "collector/store/read_tables.h"
#include "collector/store/schema.h"

namespace mansard::store {
namespace {

void read_strings(Database& database, Profile& profile) {
  Statement row = select(database, "StringIds", {"id", "value"});
  while (row.step()) profile.strings.emplace(row.integer(0), row.text(1));
}

// The same few hundred texts come millions of times: each is kept once, as registered strings are.
class Texts {
 public:
  explicit Texts(Profile& profile) : profile_(profile) {
    for (const auto& [id, text] : profile.strings) next_ = std::max(next_, id + 1);
  }

  StringId id_of(std::string_view text) {
    if (text.empty()) return 0;
    const auto known = ids_.find(text);
    if (known != ids_.end()) return known->second;
    const auto added = profile_.strings.emplace(next_, text).first;
    ids_.emplace(added->second, next_);  // nodes of the map stay where they are
    return next_++;
  }

 private:
  Profile& profile_;
  StringId next_ = 1;
  std::unordered_map<std::string_view, StringId> ids_;
};

bool began_earlier(std::string_view json) {
  return json.starts_with(kBeganEarlier.substr(0, kBeganEarlier.size() - 1));
}

NvtxPayload read_payload(const Statement& row, int first) {
  if (!row.is_null(first)) return static_cast<std::uint64_t>(row.integer(first));
  if (!row.is_null(first + 1)) return row.integer(first + 1);
  if (!row.is_null(first + 2)) return row.real(first + 2);
  if (!row.is_null(first + 3)) return static_cast<std::uint32_t>(row.integer(first + 3));
  if (!row.is_null(first + 4)) return row.integer32(first + 4);
  if (!row.is_null(first + 5)) return static_cast<float>(row.real(first + 5));
  return {};
}

void read_nvtx(Database& database, Profile& profile) {
  Statement row = select(database, "NVTX_EVENTS",
                         {"rowid",       "start",       "end",        "eventType",   "rangeId",
                          "domainId",    "category",    "color",      "globalTid",   "endGlobalTid",
                          "textId",      "text",        "jsonText",   "uint64Value", "int64Value",
                          "doubleValue", "uint32Value", "int32Value", "floatValue",  "jsonTextId"});
  Texts texts(profile);
  RecordPacker<NvtxRecord> ranges;
  NvtxRecord n;
  while (row.step()) {
    n.row_id = row.integer(0);
    n.start_ns = event_time(row, 1);
    n.end_ns = row.is_null(2) ? -1 : event_time(row, 2);
    n.type = static_cast<NvtxEventType>(row.integer32(3));
    n.range_id = row.integer(4);
    n.domain_id = row.integer(5);
    n.category = row.integer32(6);
    n.color = row.is_null(7) ? -1 : row.integer(7);
    n.global_tid = row.integer(8);
    n.end_global_tid = row.integer(9);
    n.text_id = row.integer(10);
    if (n.text_id == 0) n.text_id = texts.id_of(row.text_view(11));
    const std::string_view json = row.text_view(12);
    n.began_earlier = began_earlier(json);
    n.payload = read_payload(row, 13);
    if (!json.empty() && json != kBeganEarlier) {
      n.payload = NvtxJson{texts.id_of(json)};
    } else if (row.integer(19) != 0) {
      n.payload = NvtxJson{static_cast<StringId>(row.integer(19))};
    }
    ranges.add(n);
  }
  profile.nvtx = ranges.finish_by_start();
}

struct WorkBytes {
  std::int64_t event;
  MemoryLevel level;
  double bytes;
};

// By event.
std::vector<WorkBytes> read_work_bytes(Database& database) {
  std::vector<WorkBytes> all;
  Statement row = select(database, "MANSARD_WORK_BYTES", {"eventId", "level", "bytes"});
  while (row.step()) {
    const std::optional<MemoryLevel> level = parse_memory_level(row.text_view(1));
    if (level) all.push_back({row.integer(0), *level, row.real(2)});
  }
  if (!std::ranges::is_sorted(all, {}, &WorkBytes::event)) {
    std::ranges::stable_sort(all, {}, &WorkBytes::event);
  }
  return all;
}

void read_work(Database& database, Profile& profile) {
  const std::vector<WorkBytes> all_bytes = read_work_bytes(database);
  Statement row = select(database, "MANSARD_WORK",
                         {"eventId", "name", "flop", "precision", "class", "shape", "unknownKeys"});
  while (row.step()) {
    kernels::WorkAnnotation work;
    work.name = row.text(1);
    work.flop = row.real(2);
    work.precision = parse_precision(row.text_view(3));
    work.operation_class = row.text(4);
    work.shape = row.text(5);
    work.unknown_keys = row.integer32(6);
    const std::int64_t event = row.integer(0);
    for (const WorkBytes& b : std::ranges::equal_range(all_bytes, event, {}, &WorkBytes::event)) {
      work.bytes[b.level] = b.bytes;
    }
    profile.work.set(event, work);
  }
}

// Exports of other tools keep the annotation in the range's text.
void parse_work(Profile& profile) {
  std::unordered_map<StringId, std::optional<kernels::WorkAnnotation>> known;
  for (const NvtxRecord& n : std::as_const(profile.nvtx)) {
    const auto [work, is_new] = known.try_emplace(n.text_id);
    if (is_new) work->second = kernels::parse_work_annotation(profile.string(n.text_id));
    if (work->second) profile.work.set(n.row_id, *work->second);
  }
}

void read_diagnostics(Database& database, Profile& profile) {
  Statement row =
      select(database, "DIAGNOSTIC_EVENT", {"timestamp", "severity", "text"}, "timestamp");
  while (row.step()) {
    profile.diagnostics.push_back(
        {row.integer(0), static_cast<Severity>(row.integer32(1)), row.text(2)});
  }
}

}  // namespace

void read_text_tables(Database& database, Profile& profile) {
  read_strings(database, profile);
  read_nvtx(database, profile);
  if (database.has_table("MANSARD_STATE")) {
    read_work(database, profile);
  } else {
    parse_work(profile);
  }
  read_diagnostics(database, profile);
}

}  // namespace mansard::store
