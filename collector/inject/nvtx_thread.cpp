// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_thread.h"

#include <algorithm>
#include <mutex>

#include "collector/inject/nvtx_batch_queue.h"
#include "collector/inject/nvtx_schemas.h"

namespace mansard::collector {

void open_range(NvtxOpenRange& range, store::NvtxEventType type, const NvtxAttributes& attributes,
                std::int64_t now_ns, std::int64_t global_tid) {
  range.event = NvtxEvent{};
  range.event.start_ns = now_ns;
  range.event.type = type;
  range.event.domain = attributes.domain;
  range.event.registered = attributes.registered;
  range.event.category = attributes.category;
  range.event.color = attributes.color;
  range.event.payload = attributes.payload;
  range.event.global_tid = global_tid;
  range.text.assign(attributes.text.substr(0, kMaxTextLength));
  range.json.assign(attributes.json.size() <= kMaxJsonLength ? attributes.json
                                                             : std::string_view());
  range.trigger = false;
}

bool place_in_window(NvtxEvent& event, const RecordingWindow& window) {
  const std::uint32_t epoch = window.epoch();
  const std::uint32_t opened = epoch % 2 == 1 ? epoch : epoch - 1;
  if (epoch == 0 || event.epoch > opened) return false;
  if (event.epoch < opened) {
    event.epoch = opened;
    event.start_ns = window.start_ns();
    event.row_id = 0;
    event.began_earlier = true;
  }
  return true;
}

NvtxThread::NvtxThread(NvtxBatchQueue& queue, const RecordingWindow& window,
                       std::int64_t global_tid)
    : queue_(queue), window_(window), global_tid_(global_tid), batch_(queue.empty_batch()) {
  open_.resize(16);
}

NvtxThread::~NvtxThread() { queue_.recycle(std::move(batch_)); }

int& NvtxThread::depth_of(const NvtxDomain* domain) {
  const auto known = std::find_if(depths_.begin(), depths_.end(),
                                  [domain](const auto& depth) { return depth.first == domain; });
  return known != depths_.end() ? known->second : depths_.emplace_back(domain, 0).second;
}

int NvtxThread::push(const NvtxAttributes& attributes, std::int64_t now_ns, bool trigger) {
  const std::lock_guard lock(lock_);
  int& domain_depth = depth_of(attributes.domain);
  const int nesting = domain_depth;
  if (depth_ == open_.size()) open_.resize(2 * depth_);
  NvtxOpenRange& range = open_[depth_];
  open_range(range, store::NvtxEventType::push_pop, attributes, now_ns, global_tid_);
  ++depth_;  // not earlier: storing the text may run out of memory
  ++domain_depth;
  range.event.epoch = window_.epoch();
  // The window may have opened since the caller read (or did not read) the clock.
  if (range.event.epoch % 2 == 1) {
    range.event.start_ns = std::max(now_ns, window_.start_ns());
  }
  range.trigger = trigger;
  if (trigger) ++open_triggers_;
  return nesting;
}

int NvtxThread::pop(const NvtxDomain* domain, std::int64_t now_ns, bool& trigger,
                    const std::string& json, std::int64_t mark_ns) {
  const std::lock_guard lock(lock_);
  int& domain_depth = depth_of(domain);
  if (domain_depth == 0) return -2;  // more pops than pushes; NVTX_NO_PUSH_POP_TRACKING
  std::size_t at = depth_;
  while (at > 0 && open_[at - 1].event.domain != domain) --at;
  NvtxOpenRange& range = open_[at - 1];
  trigger = range.trigger;
  if (trigger) --open_triggers_;
  if (window_.recording() && place_in_window(range.event, window_)) {
    range.event.end_ns = std::max(now_ns, range.event.start_ns);
    if (!json.empty()) range.json = join_json_objects(range.json, json);
    if (range.json.size() > kMaxJsonLength) range.json.clear();
    append_locked(range.event, range.text, range.json);
  } else if (!json.empty() && json.size() <= kMaxJsonLength) {
    NvtxEvent mark = range.event;
    mark.type = store::NvtxEventType::mark;
    mark.start_ns = mark_ns;
    mark.row_id = 0;
    mark.began_earlier = false;
    append_locked(mark, range.text, json);
  }
  // Ranges of other domains may have been opened since then.
  std::rotate(open_.begin() + static_cast<std::ptrdiff_t>(at) - 1,
              open_.begin() + static_cast<std::ptrdiff_t>(at),
              open_.begin() + static_cast<std::ptrdiff_t>(depth_));
  --depth_;
  return --domain_depth;
}

void NvtxThread::window_closed() {
  const std::lock_guard lock(lock_);
  for (std::size_t i = 0; i < depth_; ++i) {
    NvtxEvent& event = open_[i].event;
    if (place_in_window(event, window_) && event.row_id == 0) {
      append_locked(event, open_[i].text, open_[i].json);
    }
  }
}

void NvtxThread::append(const NvtxOpenRange& range) {
  const std::lock_guard lock(lock_);
  append_locked(range.event, range.text, range.json);
}

void NvtxThread::append_locked(const NvtxEvent& event, std::string_view text,
                               std::string_view json) {
  static_assert(kMaxTextLength + kMaxJsonLength <= NvtxBatch::kTextBytes);
  // A range that is already stored has its text there.
  if (event.row_id != 0) text = {};
  const std::size_t bytes = text.size() + json.size();
  if (batch_ == nullptr || !batch_->has_room(bytes)) {
    batch_ = queue_.exchange(std::move(batch_));
    if (batch_ == nullptr || !batch_->has_room(bytes)) {
      queue_.count_dropped();
      return;
    }
  }
  NvtxEvent& added = batch_->events.emplace_back(event);
  added.text_offset = static_cast<std::uint32_t>(batch_->text.size());
  added.text_size = static_cast<std::uint32_t>(text.size());
  added.json_size = static_cast<std::uint32_t>(json.size());
  batch_->text.insert(batch_->text.end(), text.begin(), text.end());
  batch_->text.insert(batch_->text.end(), json.begin(), json.end());
}

std::unique_ptr<NvtxBatch> NvtxThread::take(std::unique_ptr<NvtxBatch> empty) {
  const std::lock_guard lock(lock_);
  if (batch_ == nullptr || (batch_->events.empty() && empty != nullptr)) return empty;
  batch_.swap(empty);
  return empty;
}

}  // namespace mansard::collector
