// SPDX-License-Identifier: Apache-2.0
#include "cli/job_board.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string_view>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

namespace mansard::cli {
namespace {

constexpr const char* kVariable = "MANSARD_JOB_BOARD";     // "DESCRIPTOR:RECOVERY"
constexpr std::uint64_t kBoardMagic = 0x314452414f424d4e;  // "NMBOARD1"

}  // namespace

struct JobBoard::Header {
  std::uint64_t magic = kBoardMagic;
  std::int32_t ranks = 0, most_recoveries = 0;
  std::atomic<std::int32_t> recoveries = 0;

  std::size_t progress_at() const { return sizeof(Header); }
  std::size_t recoveries_at() const {
    return progress_at() + static_cast<std::size_t>(ranks) * sizeof(RankProgress);
  }
  std::size_t bytes() const {
    return recoveries_at() + static_cast<std::size_t>(most_recoveries) * sizeof(RecoveryRecord);
  }
};

static_assert(std::atomic<std::int64_t>::is_always_lock_free, "shared between processes");

double steady_now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void JobBoard::map(std::size_t bytes) {
  bytes_ = bytes;
  void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error(std::string("cannot map the memory of the job: ") +
                             std::strerror(errno));
  }
  header_ = static_cast<Header*>(memory);
}

JobBoard::JobBoard(int ranks, int most_recoveries) {
  Header header;
  header.ranks = ranks;
  header.most_recoveries = most_recoveries;
  file_ = ::memfd_create("mansard-job", 0);  // children inherit it
  if (file_ < 0 || ::ftruncate(file_, static_cast<off_t>(header.bytes())) != 0) {
    throw std::runtime_error(std::string("cannot reserve memory for the job: ") +
                             std::strerror(errno));
  }
  map(header.bytes());
  header_ = new (header_) Header;
  header_->ranks = ranks;
  header_->most_recoveries = most_recoveries;
  auto* const start = reinterpret_cast<char*>(header_);
  progress_ = new (start + header_->progress_at()) RankProgress[static_cast<std::size_t>(ranks)];
  recoveries_ = new (start + header_->recoveries_at())
      RecoveryRecord[static_cast<std::size_t>(most_recoveries)];
}

void JobBoard::attach(int file, int recovery) {
  file_ = file;
  own_recovery_ = recovery;
  struct stat status {};
  const bool is_open = ::fstat(file_, &status) == 0;
  if (is_open && status.st_size >= static_cast<off_t>(sizeof(Header))) {
    map(static_cast<std::size_t>(status.st_size));
  }
  if (header_ == nullptr || header_->magic != kBoardMagic || header_->bytes() != bytes_) {
    throw std::runtime_error(std::string(kVariable) +
                             " is set, but not by a launcher of this job; unset it");
  }
  auto* const start = reinterpret_cast<char*>(header_);
  progress_ = reinterpret_cast<RankProgress*>(start + header_->progress_at());
  recoveries_ = reinterpret_cast<RecoveryRecord*>(start + header_->recoveries_at());
}

JobBoard::~JobBoard() {
  if (header_ != nullptr) ::munmap(header_, bytes_);
  if (file_ >= 0) ::close(file_);
}

std::unique_ptr<JobBoard> JobBoard::of_environment() {
  const char* const text = std::getenv(kVariable);
  if (text == nullptr) return nullptr;
  const std::string_view view = text;
  const std::size_t colon = view.find(':');
  int file = -1, recovery = -1;
  if (colon != std::string_view::npos) {
    std::from_chars(text, text + colon, file);
    std::from_chars(text + colon + 1, text + view.size(), recovery);
  }
  std::unique_ptr<JobBoard> board(new JobBoard);
  board->attach(file, recovery);
  return board;
}

std::pair<std::string, std::string> JobBoard::environment(std::optional<int> recovery) const {
  return {kVariable, std::to_string(file_) + ":" + std::to_string(recovery.value_or(-1))};
}

RankProgress& JobBoard::progress(int rank) { return progress_[rank]; }

std::optional<int> JobBoard::add_recovery(const RecoveryRecord& record) {
  const std::int32_t number = header_->recoveries;
  if (number >= header_->most_recoveries) return std::nullopt;
  recoveries_[number] = record;
  header_->recoveries = number + 1;
  return number;
}

std::span<RecoveryRecord> JobBoard::recoveries() {
  return {recoveries_, static_cast<std::size_t>(header_->recoveries)};
}

RecoveryRecord* JobBoard::own_recovery() {
  const bool has_one = own_recovery_ >= 0 && own_recovery_ < header_->recoveries;
  return has_one ? recoveries_ + own_recovery_ : nullptr;
}

}  // namespace mansard::cli
