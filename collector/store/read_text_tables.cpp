// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "collector/store/read_tables.h"
#include "collector/store/schema.h"
#include "kernels/annotation/operation_work.h"

namespace mansard::store {
namespace {

struct WorkBytes {
  std::int64_t event;
  MemoryLevel level;
  double bytes;
};

// By event.
std::vector<WorkBytes> read_work_bytes(Database& database, RowIds& ids) {
  std::vector<WorkBytes> all;
  RowReader<table<WorkBytesRow>> rows(database, ids);
  WorkBytesRow row;
  while (rows.next(row)) {
    const std::optional<MemoryLevel> level = parse_memory_level(row.level);
    if (level) all.push_back({row.event, *level, row.bytes});
  }
  if (!std::ranges::is_sorted(all, {}, &WorkBytes::event)) {
    std::ranges::stable_sort(all, {}, &WorkBytes::event);
  }
  return all;
}

void read_work(Database& database, RowIds& ids, Profile& profile) {
  const std::vector<WorkBytes> all_bytes = read_work_bytes(database, ids);
  RowReader<table<WorkRow>> rows(database, ids);
  WorkRow row;
  while (rows.next(row)) {
    // Clang 14 cannot iterate over the subrange that std::ranges::equal_range returns.
    auto b = std::ranges::lower_bound(all_bytes, row.event, {}, &WorkBytes::event);
    for (; b != all_bytes.end() && b->event == row.event; ++b) row.work.bytes[b->level] = b->bytes;
    profile.work.set(row.event, row.work);
  }
}

void read_training(Database& database, RowIds& ids, Profile& profile) {
  profile.tensor_numerics = read_all<TensorNumericsRow>(database, ids);
  for (TensorNumericsRow& row : profile.tensor_numerics) {
    row.numerics.layer = profile.string(row.layer);
  }
  profile.training_steps = read_all<TrainingStepRow>(database, ids);
}

// Exports of other tools have the annotations in the texts of ranges and marks.
void parse_training(Profile& profile) {
  for (const NvtxRecord& n : std::as_const(profile.nvtx)) {
    if (n.type != NvtxEventType::mark) continue;
    const std::string& text = profile.string(n.text_id);
    if (auto numerics = kernels::parse_tensor_numerics(text)) {
      profile.tensor_numerics.push_back({n.row_id, std::move(*numerics)});
    } else if (auto step = kernels::parse_training_step(text)) {
      profile.training_steps.push_back({n.row_id, *step});
    }
  }
}

void parse_work(Profile& profile) {
  std::unordered_map<StringId, std::optional<kernels::WorkAnnotation>> known;
  for (const NvtxRecord& n : std::as_const(profile.nvtx)) {
    const auto [work, is_new] = known.try_emplace(n.text_id);
    if (is_new) work->second = kernels::work_of_text(profile.string(n.text_id));
    if (work->second) profile.work.set(n.row_id, *work->second);
  }
}

}  // namespace

void read_strings(Database& database, RowIds& ids, Profile& profile) {
  RowReader<table<StringRow>> rows(database, ids);
  StringRow row;
  while (rows.next(row)) profile.strings.emplace(row.id, row.value);
}

void read_annotations(Database& database, RowIds& ids, Profile& profile) {
  if (database.has_table(table<StateRow>.name)) {
    read_work(database, ids, profile);
    read_training(database, ids, profile);
  } else {
    parse_work(profile);
    parse_training(profile);
  }
  std::ranges::stable_sort(profile.tensor_numerics, {},
                           [](const TensorNumericsRow& row) { return row.numerics.step; });
  std::ranges::stable_sort(profile.training_steps, {},
                           [](const TrainingStepRow& row) { return row.step.step; });
  profile.diagnostics = read_all<DiagnosticRecord>(database, ids, "timestamp");
}

}  // namespace mansard::store
