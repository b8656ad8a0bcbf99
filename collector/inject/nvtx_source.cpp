// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_source.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

#include "collector/inject/nvtx_schemas.h"
#include "collector/store/global_ids.h"

namespace mansard::collector {
namespace {

constexpr std::size_t kBatchesPerDrain = 64;  // some 30 000 events, which take 0.1 s to write

}  // namespace

NvtxSource::NvtxSource(std::int64_t session_start_ns, const RecordingWindow& window, Hooks hooks)
    : session_start_ns_(session_start_ns),
      window_(window),
      hooks_(std::move(hooks)),
      queue_(hooks_.wake_writer,
             split_memory_limit(window.options().memory_limit_bytes).nvtx_bytes) {}

NvtxThread* NvtxSource::add_thread() {
  auto thread =
      std::make_unique<NvtxThread>(queue_, window_, store::global_tid(getpid(), gettid()));
  const std::lock_guard lock(mutex_);
  any_thread_ = true;
  return threads_.emplace_back(std::move(thread)).get();
}

std::uint64_t NvtxSource::start_range(const NvtxAttributes& attributes, std::int64_t now_ns,
                                      std::int64_t global_tid, bool trigger) {
  const std::uint64_t id = next_range_id_.fetch_add(1, std::memory_order_relaxed);
  NvtxOpenRange range;
  open_range(range, store::NvtxEventType::start_end, attributes, now_ns, global_tid);
  range.event.range_id = id;
  range.trigger = trigger;
  const std::lock_guard lock(mutex_);
  range.event.epoch = window_.epoch();
  if (range.event.epoch % 2 == 1) range.event.start_ns = std::max(now_ns, window_.start_ns());
  started_.emplace(id, std::move(range));
  return id;
}

bool NvtxSource::end_range(std::uint64_t id, std::int64_t now_ns, NvtxThread& ended_by,
                           const std::string& json) {
  NvtxOpenRange range;
  {
    const std::lock_guard lock(mutex_);
    const auto at = started_.find(id);
    if (at == started_.end()) return false;
    range = std::move(at->second);
    started_.erase(at);
    if (!window_.recording() || !place_in_window(range.event, window_)) return range.trigger;
  }
  range.event.end_ns = std::max(now_ns, range.event.start_ns);
  range.event.end_global_tid = ended_by.global_tid();
  if (!json.empty()) range.json = join_json_objects(range.json, json);
  if (range.json.size() > kMaxJsonLength) range.json.clear();
  ended_by.append(range);
  return range.trigger;
}

// The epoch has already been incremented: a thread that takes its lock after us sees that recording
// has stopped, and we see what a thread did before us.
void NvtxSource::window_closed() {
  const std::lock_guard lock(mutex_);
  for (const auto& thread : threads_) thread->window_closed();
  if (started_.empty()) return;
  NvtxThread rest(queue_, window_, 0);
  for (auto& [id, range] : started_) {
    if (place_in_window(range.event, window_) && range.event.row_id == 0) rest.append(range);
  }
  queue_.add(rest.take(nullptr));
}

void NvtxSource::name_thread(std::int64_t global_tid, std::string name) {
  const std::lock_guard lock(mutex_);
  thread_names_.emplace_back(global_tid, std::move(name));
}

bool NvtxSource::has_events() {
  // A thread is added by its first event.
  const std::lock_guard lock(mutex_);
  return any_thread_ && window_.epoch() > 0;
}

std::vector<NvtxThread*> NvtxSource::threads() {
  const std::lock_guard lock(mutex_);
  std::vector<NvtxThread*> all;
  for (const auto& thread : threads_) all.push_back(thread.get());
  return all;
}

bool NvtxSource::drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) {
  const std::vector<NvtxThread*> all = threads();
  // Collect retired threads before taking the last events: one that retires meanwhile is kept for
  // another round.
  std::set<const NvtxThread*> retired;
  for (const NvtxThread* thread : all) {
    if (thread->retired()) retired.insert(thread);
  }
  write_thread_names(writer, all);
  // Write unfinished batches even if the queue is full: otherwise a thread that fills batches as
  // fast as they are written would hold up all others.
  if (queue_.has_full()) write_unfinished(writer, all, true);
  for (std::size_t i = 0;; ++i) {
    std::unique_ptr<NvtxBatch> full = queue_.take_full();
    if (full == nullptr) break;
    write(writer, *full);
    queue_.recycle(std::move(full));
    // The threads' unfinished batches are younger.
    if (i + 1 == kBatchesPerDrain || wanted > 0) return true;
  }
  write_unfinished(writer, all, false);
  write_open_ranges(writer, all);
  report_dropped(writer);
  const std::lock_guard lock(mutex_);
  std::erase_if(threads_, [&](const auto& thread) { return retired.contains(thread.get()); });
  return false;
}

void NvtxSource::write_unfinished(store::ProfileWriter& writer, const std::vector<NvtxThread*>& all,
                                  bool others_wait) {
  const bool scarce = queue_.used_up();
  if (scarce && others_wait) return;  // each thread would lose its batch to the queue
  for (NvtxThread* thread : all) {
    std::unique_ptr<NvtxBatch> batch = thread->take(scarce ? nullptr : queue_.empty_batch());
    if (batch == nullptr) continue;
    write(writer, *batch);
    queue_.recycle(std::move(batch));
  }
}

void NvtxSource::discard() {
  while (auto batch = queue_.take_full()) queue_.recycle(std::move(batch));
  const std::lock_guard lock(mutex_);
  std::erase_if(threads_, [](const auto& thread) { return thread->retired(); });
}

void NvtxSource::write(store::ProfileWriter& writer, NvtxBatch& batch) {
  const std::string_view text(batch.text.data(), batch.text.size());
  for (const NvtxEvent& event : batch.events) {
    const std::string_view json = text.substr(event.text_offset + event.text_size, event.json_size);
    if (event.row_id != 0) {
      writer.end_range(event.row_id, event.end_ns - session_start_ns_, event.end_global_tid,
                       {json, event.began_earlier});
    } else {
      write(writer, event, text.substr(event.text_offset, event.text_size), json);
    }
  }
}

void NvtxSource::write(store::ProfileWriter& writer, const NvtxEvent& event, std::string_view text,
                       std::string_view json) {
  write_domain(writer, event);
  store::NvtxRecord record;
  record.row_id = event.row_id;
  record.start_ns = event.start_ns - session_start_ns_;
  record.end_ns = event.end_ns < 0 ? -1 : event.end_ns - session_start_ns_;
  record.type = event.type;
  record.range_id = static_cast<std::int64_t>(event.range_id);
  record.domain_id = event.domain != nullptr ? event.domain->id : 0;
  record.category = static_cast<std::int32_t>(event.category);
  record.color = event.color;
  record.global_tid = event.global_tid;
  record.end_global_tid = event.end_global_tid;
  record.payload = event.payload;
  record.json = json;
  record.began_earlier = event.began_earlier;
  if (event.registered != nullptr) {
    const auto [at, added] = registered_.try_emplace(event.registered, 0);
    if (added) at->second = writer.intern(event.registered->text);
    record.text_id = at->second;
  } else {
    record.text = text;
  }
  writer.add(record);
}

// Domains outlive a file (they are older than a forked child's), so each file gets its own rows.
void NvtxSource::write_domain(store::ProfileWriter& writer, const NvtxEvent& event) {
  if (event.domain == nullptr || !written_domains_.insert(event.domain).second) return;
  store::NvtxRecord record;
  record.start_ns = event.start_ns - session_start_ns_;
  record.type = store::NvtxEventType::domain_create;
  record.domain_id = event.domain->id;
  record.text = event.domain->name;
  record.global_tid = event.global_tid;
  writer.add(record);
}

void NvtxSource::report_dropped(store::ProfileWriter& writer) {
  const std::uint64_t dropped = queue_.dropped();
  if (dropped == reported_dropped_) return;
  if (reported_dropped_ == 0) {
    const std::string text =
        "NVTX events arrive faster than they can be written; some are dropped (and counted). "
        "Annotate coarser ranges, record to a faster disk, or raise --memory-limit.";
    hooks_.complain(text);
    writer.add(store::DiagnosticRecord{store::utc_now_ns() - session_start_ns_,
                                       store::Severity::warning, text});
  }
  reported_dropped_ = dropped;
  writer.set_session_value("droppedNvtxEvents", std::to_string(dropped));
}

// Writes open ranges without an end, which is added later. Otherwise a killed program would lose
// its outermost ranges.
void NvtxSource::write_open_ranges(store::ProfileWriter& writer,
                                   const std::vector<NvtxThread*>& all) {
  std::vector<NvtxOpenRange> open;
  const auto take = [&](NvtxOpenRange& range) {
    range.event.row_id = writer.reserve_nvtx_row();
    open.push_back(range);
  };
  for (NvtxThread* thread : all) thread->visit_open(take);
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, range] : started_) {
      if (!window_.recording()) break;
      place_in_window(range.event, window_);
      if (range.event.row_id == 0) take(range);
    }
  }
  for (const NvtxOpenRange& range : open) write(writer, range.event, range.text, range.json);
}

void NvtxSource::write_thread_names(store::ProfileWriter& writer,
                                    const std::vector<NvtxThread*>& all) {
  std::vector<std::pair<std::int64_t, std::string>> named;
  {
    const std::lock_guard lock(mutex_);
    named.swap(thread_names_);
  }
  for (const auto& [tid, name] : named) {
    named_threads_.insert(tid);
    writer.add_thread_name(tid, name);
  }
  for (const NvtxThread* thread : all) {
    if (!named_threads_.insert(thread->global_tid()).second) continue;
    const std::int64_t tid = store::tid_of(thread->global_tid());
    std::ifstream file("/proc/self/task/" + std::to_string(tid) + "/comm");
    std::string name;
    if (std::getline(file, name)) writer.add_thread_name(thread->global_tid(), name);
  }
}

}  // namespace mansard::collector
