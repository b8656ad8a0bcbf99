// SPDX-License-Identifier: Apache-2.0
#include "collector/import/byte_source.h"

#include <fstream>
#include <stdexcept>
#include <vector>
#include <zlib.h>

#include "support/files.h"

namespace mansard::collector {
namespace {

class PlainFile : public ByteSource {
 public:
  explicit PlainFile(const std::filesystem::path& file) : stream_(file, std::ios::binary) {
    if (!stream_) throw std::runtime_error(file.string() + ": cannot be read");
  }

  std::size_t read(char* to, std::size_t size) override {
    stream_.read(to, static_cast<std::streamsize>(size));
    if (stream_.bad()) failure_ = "the file cannot be read to its end";
    const auto count = static_cast<std::size_t>(stream_.gcount());
    bytes_ += count;
    return count;
  }
  std::uint64_t bytes_read() const override { return bytes_; }
  std::string failure() const override { return failure_; }

 private:
  std::ifstream stream_;
  std::uint64_t bytes_ = 0;
  std::string failure_;
};

class GzipFile : public ByteSource {
 public:
  explicit GzipFile(const std::filesystem::path& file) : packed_(file), input_(kInputBytes) {
    constexpr int kGzipWithAnyWindow = 15 + 16;
    if (inflateInit2(&zip_, kGzipWithAnyWindow) != Z_OK) {
      throw std::runtime_error(file.string() + ": not enough memory to decompress it");
    }
  }
  ~GzipFile() override { inflateEnd(&zip_); }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    zip_.next_out = reinterpret_cast<Bytef*>(to);
    zip_.avail_out = static_cast<uInt>(size);
    while (zip_.avail_out == size && !ended_) unpack_some();
    return size - zip_.avail_out;
  }
  std::uint64_t bytes_read() const override { return packed_.bytes_read(); }
  std::string failure() const override { return failure_; }

 private:
  static constexpr std::size_t kInputBytes = std::size_t{1} << 18;

  void unpack_some() {
    if (zip_.avail_in == 0) {
      zip_.avail_in = static_cast<uInt>(packed_.read(input_.data(), input_.size()));
      zip_.next_in = reinterpret_cast<Bytef*>(input_.data());
    }
    if (zip_.avail_in == 0) {
      if (in_member_) failure_ = "the gzip file is truncated";
      if (!packed_.failure().empty()) failure_ = packed_.failure();
      ended_ = true;
      return;
    }
    // A gzip file may consist of several concatenated members.
    if (!in_member_) inflateReset(&zip_);
    in_member_ = true;
    const int code = inflate(&zip_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      in_member_ = false;
    } else if (code != Z_OK) {
      failure_ = std::string("the gzip file is damaged (") +
                 (zip_.msg != nullptr ? zip_.msg : "unexpected data") + ")";
      ended_ = true;
    }
  }

  PlainFile packed_;
  std::vector<char> input_;
  z_stream zip_{};
  bool in_member_ = false;
  bool ended_ = false;
  std::string failure_;
};

bool is_gzip(const std::filesystem::path& file) {
  char magic[2] = {};
  return PlainFile(file).read(magic, 2) == 2 && magic[0] == '\x1f' && magic[1] == '\x8b';
}

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file) {
  require_input_file(file, file.string());
  if (!is_gzip(file)) return std::make_unique<PlainFile>(file);
  return std::make_unique<GzipFile>(file);
}

}  // namespace mansard::collector
