// SPDX-License-Identifier: Apache-2.0
#include "reports/export/byte_sink.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <zlib.h>

namespace mansard::reports {
namespace {

class FileSink : public ByteSink {
 public:
  FileSink(std::FILE* file, std::string name, bool owned)
      : file_(file), name_(std::move(name)), owned_(owned) {
    if (file_ == nullptr) fail();
  }
  ~FileSink() override {
    if (owned_ && file_ != nullptr) std::fclose(file_);
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  void write(std::string_view bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
  }
  void finish() override {
    // A full disk is often detected only here.
    const bool flushed = std::fflush(file_) == 0;
    if (!flushed) fail();
    if (owned_ && std::fclose(std::exchange(file_, nullptr)) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error("cannot write '" + name_ + "': " + std::strerror(errno));
  }

  std::FILE* file_;
  std::string name_;
  bool owned_;
};

class GzipSink : public ByteSink {
 public:
  explicit GzipSink(const std::filesystem::path& file)
      : file_(std::fopen(file.c_str(), "wb"), file.string(), true), output_(kOutputBytes) {
    constexpr int kGzip = 15 + 16;
    constexpr int kMemoryLevel = 8;  // zlib's default, like level and strategy
    if (deflateInit2(&zip_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::runtime_error("cannot write '" + file.string() +
                               "': not enough memory to compress it");
    }
  }
  ~GzipSink() override { deflateEnd(&zip_); }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  void write(std::string_view bytes) override {
    // zlib has 32-bit sizes.
    constexpr std::size_t kMax = std::size_t{1} << 30;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kMax, bytes.size()))) {
      const std::string_view part = bytes.substr(0, kMax);
      zip_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
      zip_.avail_in = static_cast<uInt>(part.size());
      while (zip_.avail_in > 0) pack(Z_NO_FLUSH);
    }
  }
  void finish() override {
    while (pack(Z_FINISH) != Z_STREAM_END) {
    }
    file_.finish();
  }

 private:
  static constexpr std::size_t kOutputBytes = std::size_t{1} << 18;

  int pack(int flush) {
    zip_.next_out = reinterpret_cast<Bytef*>(output_.data());
    zip_.avail_out = static_cast<uInt>(output_.size());
    const int code = deflate(&zip_, flush);
    file_.write({output_.data(), output_.size() - zip_.avail_out});
    return code;
  }

  FileSink file_;
  std::vector<char> output_;
  z_stream zip_{};
};

}  // namespace

std::unique_ptr<ByteSink> open_file_sink(const std::filesystem::path& file, bool packed) {
  if (!packed) {
    return std::make_unique<FileSink>(std::fopen(file.c_str(), "wb"), file.string(), true);
  }
  return std::make_unique<GzipSink>(file);
}

std::unique_ptr<ByteSink> standard_output_sink() {
  return std::make_unique<FileSink>(stdout, "standard output", false);
}

bool is_packed_name(const std::filesystem::path& file) { return file.extension() == ".gz"; }

}  // namespace mansard::reports
