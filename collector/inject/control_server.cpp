// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/control_server.h"

#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "collector/session/background_thread.h"

namespace mansard::collector {

ControlServer::ControlServer(RecordingWindow& window, const std::filesystem::path& output,
                             std::function<bool()> flush)
    : window_(window),
      flush_(std::move(flush)),
      folder_(control_folder()),
      block_(create_control_block(folder_, output)) {
  if (block_ == nullptr) return;
  publish_state();
  try {
    start_background_thread("mansard-control", [this] { serve(); }).detach();
  } catch (...) {
    remove_control_block(folder_);
    throw;
  }
}

bool ControlServer::available() const { return block_ != nullptr && is_intact(*block_); }

void ControlServer::set_file(const std::filesystem::path& file) {
  const std::string name = file.string();
  if (!available() || name.size() >= sizeof block_->file) return;
  std::memcpy(block_->file, name.c_str(), name.size() + 1);
  block_->has_file.store(1, std::memory_order_release);
}

// The three values need not be from the same moment.
void ControlServer::set_progress(const RecordingProgress& progress) {
  if (!available()) return;
  block_->events.store(progress.events, std::memory_order_relaxed);
  block_->dropped_events.store(progress.dropped_events, std::memory_order_relaxed);
  block_->file_bytes.store(progress.file_bytes, std::memory_order_relaxed);
}

void ControlServer::end() {
  if (!available()) return;
  block_->state = static_cast<std::uint32_t>(ControlState::ended);
  remove_control_block(folder_);
}

void ControlServer::publish_state() {
  const std::uint32_t epoch = window_.epoch();
  ControlState state = epoch % 2 == 1 ? ControlState::recording : ControlState::waiting;
  if (window_.over()) state = ControlState::over;
  block_->windows = (epoch + 1) / 2;
  block_->state = static_cast<std::uint32_t>(state);
}

ControlResult ControlServer::run(ControlCommand command) {
  const std::uint32_t before = window_.epoch();
  switch (command) {
    case ControlCommand::start:
      window_.open();
      break;
    case ControlCommand::stop:
      window_.close();
      flush_();  // a stopped recording can be analyzed
      break;
    case ControlCommand::flush:
      return flush_() ? ControlResult::done : ControlResult::failed;
    case ControlCommand::status:
      return ControlResult::done;
  }
  if (window_.epoch() != before) return ControlResult::done;
  return window_.over() ? ControlResult::too_late : ControlResult::nothing_to_do;
}

void ControlServer::serve() {
  while (available()) {
    const std::uint32_t requested = block_->requested.load(std::memory_order_acquire);
    if (requested != block_->answered.load(std::memory_order_relaxed)) {
      ControlResult result = ControlResult::failed;
      try {
        result = run(static_cast<ControlCommand>(block_->command.load()));
      } catch (const std::exception&) {
        // Reported as failed.
      }
      if (!available()) return;
      if (block_->state != static_cast<std::uint32_t>(ControlState::ended)) publish_state();
      block_->result = static_cast<std::uint32_t>(result);
      block_->answered.store(requested, std::memory_order_release);
      wake_all(block_->answered);
    } else {
      wait_while(block_->requested, requested);
    }
  }
}

}  // namespace mansard::collector
