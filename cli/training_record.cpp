// SPDX-License-Identifier: Apache-2.0
#include "cli/training_record.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

#include "cli/output.h"
#include "cli/write_file.h"
#include "collector/session/output_pattern.h"
#include "collector/session/session_description.h"
#include "collector/store/close_database.h"
#include "collector/store/global_ids.h"
#include "kernels/annotation/range.h"

namespace mansard::cli {
namespace {

namespace fs = std::filesystem;

fs::path file_of(const std::string& pattern) {
  return collector::expand_output_pattern(pattern, getpid());
}

}  // namespace

void require_record(const std::string& pattern, bool force) {
  const fs::path file = file_of(pattern);
  require_writable(file, force, OutputKind::database);
  if (fs::exists(file) && store::is_being_recorded(follow_links(file))) {
    throw std::runtime_error("'" + file.string() +
                             "' is being written by another process; give another --record");
  }
}

TrainingRecord::TrainingRecord(const std::string& pattern, bool force) {
  if (pattern.empty()) return;
  require_record(pattern, force);
  file_ = file_of(pattern);
  const fs::path replaced = follow_links(file_);
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    fs::remove(replaced.string() + suffix);
  }
  // Readable only by its owner, like other profiles: it has the command line.
  const int created = open(replaced.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (created < 0) {
    throw std::runtime_error("cannot create the record '" + file_.string() +
                             "': " + std::strerror(errno));
  }
  close(created);
  const store::SessionInfo session = collector::describe_session("");
  writer_ = std::make_unique<store::ProfileWriter>(replaced, session);
  start_utc_ns_ = session.start_utc_ns;
  global_tid_ = store::global_tid(session.pid, gettid());
}

TrainingRecord::~TrainingRecord() {
  if (!writer_) return;
  try {
    writer_->finish(store::RecordingState::interrupted);
  } catch (const std::exception& error) {
    say(file_.string() + ": " + error.what());
  }
}

void TrainingRecord::mark(const std::string& text) {
  kernels::annotate_mark(text);
  if (!writer_) return;
  store::NvtxRecord mark;
  mark.type = store::NvtxEventType::mark;
  mark.start_ns = store::utc_now_ns() - start_utc_ns_;
  mark.global_tid = global_tid_;
  mark.text = text;
  writer_->add(mark);
}

void TrainingRecord::add(const std::vector<kernels::TensorNumerics>& numerics) {
  for (const kernels::TensorNumerics& tensor : numerics) mark(to_text(tensor));
}

// Others can read the file while training goes on.
void TrainingRecord::add(const kernels::TrainingProgress& step) {
  mark(to_text(step));
  const auto now = std::chrono::steady_clock::now();
  if (!writer_ || now - committed_ < std::chrono::seconds(1)) return;
  writer_->commit();
  committed_ = now;
}

void TrainingRecord::finish() {
  if (!writer_) return;
  writer_->finish(store::RecordingState::complete);
  writer_.reset();
}

}  // namespace mansard::cli
