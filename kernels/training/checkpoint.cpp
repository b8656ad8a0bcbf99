// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/hash.h"

namespace mansard::kernels {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "1";
constexpr std::int64_t kPieceBytes = std::int64_t{16} << 20;

std::string error_text(const fs::path& file, const std::string& reason) {
  return "checkpoint '" + file.string() + "': " + reason;
}
[[noreturn]] void fail(const fs::path& file, const std::string& reason) {
  throw std::runtime_error(error_text(file, reason));
}
[[noreturn]] void fail_damaged(const fs::path& file, const std::string& reason) {
  throw DamagedCheckpoint(error_text(file, reason));
}

std::string hexadecimal(std::uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

// A 64-bit hash of a stream of bytes, for damage, not for attacks. Words are independent of the
// previous ones until they are added, so that memory bandwidth limits it.
class Checksum {
 public:
  void add(const std::byte* data, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, data + at, std::min<std::size_t>(8, bytes - at));
      sum_ += mix64(word ^ (++index_ * kGoldenRatio64));
    }
  }
  std::string text() const { return hexadecimal(mix64(sum_)); }

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t index_ = 0;
};

Json metadata(const CheckpointInfo& info, const std::string& checksum) {
  return {{"mansard.format", kFormat},
          {"mansard.checksum", checksum},
          {"mansard.step", std::to_string(info.step)},
          {"mansard.position", std::to_string(info.position)},
          {"mansard.seed", std::to_string(info.seed)},
          {"mansard.data", hexadecimal(info.data_fingerprint)},
          {"mansard.model", info.model},
          {"mansard.recipes", info.recipes}};
}

// The header, padded with spaces to a multiple of 8 bytes so that tensors are aligned.
std::string header_text(const CheckpointInfo& info, const std::vector<CheckpointTensor>& tensors,
                        const std::string& checksum) {
  Json header = {{"__metadata__", metadata(info, checksum)}};
  std::int64_t end = 0;
  for (const CheckpointTensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor.type},
                           {"shape", tensor.shape},
                           {"data_offsets", {end, end + tensor.bytes}}};
    end += tensor.bytes;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

class File {
 public:
  File(const fs::path& path, int flags)
      : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC)) {
    if (fd_ < 0) fail(path, std::string("cannot open it: ") + std::strerror(errno));
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(const void* data, std::size_t bytes, std::int64_t at) {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t n = ::pwrite(fd_, static_cast<const char*>(data) + done, bytes - done,
                                 at + static_cast<std::int64_t>(done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail(path_, std::string("cannot write it: ") + std::strerror(errno));
      done += static_cast<std::size_t>(n);
    }
  }
  void read(void* data, std::size_t bytes, std::int64_t at) {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t n = ::pread(fd_, static_cast<char*>(data) + done, bytes - done,
                                at + static_cast<std::int64_t>(done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail_damaged(path_, std::string("cannot read it: ") + std::strerror(errno));
      if (n == 0) fail_damaged(path_, "it is truncated");
      done += static_cast<std::size_t>(n);
    }
  }
  void flush() {
    if (::fsync(fd_) != 0) fail(path_, std::string("cannot write it: ") + std::strerror(errno));
  }

 private:
  fs::path path_;
  int fd_;
};

// Calls body(tensor, offset in the tensor, bytes) for pieces of all tensors, in order.
template <class Body>
void for_pieces(const std::vector<CheckpointTensor>& tensors, const Body& body) {
  for (const CheckpointTensor& tensor : tensors) {
    for (std::int64_t at = 0; at < tensor.bytes; at += kPieceBytes) {
      body(tensor, at, std::min(kPieceBytes, tensor.bytes - at));
    }
  }
}

std::int64_t data_bytes(const std::vector<CheckpointTensor>& tensors) {
  std::int64_t sum = 0;
  for (const CheckpointTensor& tensor : tensors) sum += tensor.bytes;
  return sum;
}

CheckpointInfo info_of(const fs::path& file, const Json& header) {
  const auto text = [&](const char* key) -> std::string {
    const auto found = header.find("__metadata__");
    if (found == header.end() || !found->is_object() || !found->contains(key) ||
        !(*found)[key].is_string()) {
      fail(file,
           "it is not a checkpoint of 'mansard train': its metadata has no " + std::string(key));
    }
    return (*found)[key].get<std::string>();
  };
  const auto number = [&](const char* key, int base, auto& value) {
    const std::string digits = text(key);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
      fail_damaged(file, "its " + std::string(key) + " is not a number: '" + digits + "'");
    }
  };
  if (text("mansard.format") != kFormat) {
    fail(file,
         "its format is '" + text("mansard.format") + "', this program reads '" + kFormat + "'");
  }
  CheckpointInfo info;
  number("mansard.step", 10, info.step);
  number("mansard.position", 10, info.position);
  number("mansard.seed", 10, info.seed);
  number("mansard.data", 16, info.data_fingerprint);
  info.model = text("mansard.model");
  info.recipes = text("mansard.recipes");
  if (info.step < 0 || info.position < 0) fail_damaged(file, "its step or position is negative");
  return info;
}

void require_same_run(const fs::path& file, const CheckpointInfo& info,
                      const CheckpointInfo& expected) {
  const auto compare = [&](const char* what, const std::string& theirs, const std::string& ours) {
    if (theirs == ours) return;
    fail(file, std::string("it was written with another ") + what + ": " + theirs +
                   "; this run has: " + ours);
  };
  compare("model", info.model, expected.model);
  compare("recipe", info.recipes, expected.recipes);
  compare("seed", std::to_string(info.seed), std::to_string(expected.seed));
  compare("training data (fingerprint)", hexadecimal(info.data_fingerprint),
          hexadecimal(expected.data_fingerprint));
}

// A checkpoint of a run that is described by `expected`, whose tensors have not been read yet.
struct InputFile {
  InputFile(const fs::path& path, const CheckpointInfo& expected)
      : file_bytes(size_of(path)), file(path, O_RDONLY) {
    if (file_bytes < 8) fail_damaged(path, "it is truncated: it has no header");
    std::uint64_t header_bytes = 0;
    file.read(&header_bytes, sizeof header_bytes, 0);
    constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the format's limit
    if (header_bytes > kMostHeaderBytes) fail_damaged(path, "it is not a safetensors file");
    first = static_cast<std::int64_t>(8 + header_bytes);
    if (first > file_bytes) {
      fail_damaged(path, "its header is truncated, or it is not a safetensors file");
    }
    text.resize(header_bytes);
    file.read(text.data(), text.size(), 8);
    header = Json::parse(text, nullptr, false);
    if (header.is_discarded() || !header.is_object()) {
      fail_damaged(path, "its header is damaged, or it is not a safetensors file");
    }
    info = info_of(path, header);
    require_same_run(path, info, expected);
  }

  std::int64_t file_bytes;
  File file;
  std::int64_t first = 0;  // where the tensors start
  std::string text;
  Json header;  // of the text
  CheckpointInfo info;

 private:
  static std::int64_t size_of(const fs::path& path) {
    require_input_file(path, "checkpoint '" + path.string() + "'");
    return static_cast<std::int64_t>(fs::file_size(path));
  }
};

}  // namespace

void write_checkpoint(const fs::path& file, const CheckpointInfo& info,
                      const std::vector<CheckpointTensor>& tensors, Backend& backend) {
  OutputFile output(file);
  {
    File out(output.file(), O_WRONLY);
    // The checksum has a fixed length, and is known at the end.
    const std::string placeholder = header_text(info, tensors, Checksum().text());
    const auto header_bytes = static_cast<std::uint64_t>(placeholder.size());
    std::int64_t end = static_cast<std::int64_t>(8 + header_bytes);
    Checksum checksum;
    std::vector<std::byte> piece(static_cast<std::size_t>(kPieceBytes));
    for_pieces(tensors, [&](const CheckpointTensor& tensor, std::int64_t at, std::int64_t bytes) {
      if (at == 0 && tensor.fetch) tensor.fetch();
      backend.read(piece.data(), static_cast<const std::byte*>(tensor.data) + at, bytes);
      checksum.add(piece.data(), static_cast<std::size_t>(bytes));
      out.write(piece.data(), static_cast<std::size_t>(bytes), end);
      end += bytes;
    });
    const std::string header = header_text(info, tensors, checksum.text());
    out.write(&header_bytes, sizeof header_bytes, 0);
    out.write(header.data(), header.size(), 8);
    out.flush();
  }
  output.finish();
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  File(folder, O_RDONLY | O_DIRECTORY).flush();  // makes the new name permanent
}

CheckpointInfo read_checkpoint(const fs::path& file, const CheckpointInfo& expected,
                               const std::vector<CheckpointTensor>& tensors, Backend& backend) {
  InputFile in(file, expected);
  if (in.file_bytes != in.first + data_bytes(tensors)) {
    fail_damaged(file, "it has " + std::to_string(in.file_bytes) + " bytes, and its tensors need " +
                           std::to_string(in.first + data_bytes(tensors)) +
                           "; it is truncated or damaged");
  }
  // Check everything before the first tensor is replaced.
  Checksum checksum;
  std::vector<std::byte> piece(static_cast<std::size_t>(kPieceBytes));
  std::int64_t end = in.first;
  for_pieces(tensors, [&](const CheckpointTensor&, std::int64_t, std::int64_t bytes) {
    in.file.read(piece.data(), static_cast<std::size_t>(bytes), end);
    checksum.add(piece.data(), static_cast<std::size_t>(bytes));
    end += bytes;
  });
  // An equal header also means equal names, types, shapes and places of all tensors.
  if (in.text != header_text(in.info, tensors, checksum.text())) {
    fail_damaged(file, "its content is damaged: it does not match its checksum");
  }
  end = in.first;
  for_pieces(tensors, [&](const CheckpointTensor& tensor, std::int64_t at, std::int64_t bytes) {
    in.file.read(piece.data(), static_cast<std::size_t>(bytes), end);
    backend.write(static_cast<std::byte*>(tensor.data) + at, piece.data(), bytes);
    end += bytes;
    if (at + bytes == tensor.bytes && tensor.store) tensor.store();
  });
  return in.info;
}

std::vector<std::int64_t> checkpoint_shape(const fs::path& file, const CheckpointInfo& expected,
                                           const std::string& tensor) {
  const Json header = InputFile(file, expected).header;
  const auto found = header.find(tensor);
  if (found == header.end()) fail(file, "it has no tensor '" + tensor + "'");
  try {
    return found->at("shape").get<std::vector<std::int64_t>>();
  } catch (const Json::exception&) {
    fail_damaged(file, "its header is damaged: tensor '" + tensor + "' has no shape");
  }
}

// ---- Folders of checkpoints ----

namespace {

constexpr std::string_view kCheckpoint = "step-";
constexpr std::string_view kRowsFilePrefix = "rows-";
constexpr std::string_view kSuffix = ".safetensors";

fs::path file_of(const fs::path& folder, std::string_view prefix, std::int64_t step) {
  std::string digits = std::to_string(step);
  digits.insert(0, digits.size() < 8 ? 8 - digits.size() : 0, '0');
  return folder / (std::string(prefix) + digits + std::string(kSuffix));
}

std::optional<std::int64_t> step_of(const fs::path& file, std::string_view prefix) {
  const std::string name = file.filename().string();
  if (!name.starts_with(prefix) || !name.ends_with(kSuffix)) return std::nullopt;
  const char* const first = name.data() + prefix.size();
  const char* const last = name.data() + name.size() - kSuffix.size();
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(first, last, step);
  if (error != std::errc{} || end != last) return std::nullopt;
  return step;
}

// By step, oldest first.
std::vector<std::pair<std::int64_t, fs::path>> files_of(const fs::path& folder,
                                                        std::string_view prefix) {
  std::vector<std::pair<std::int64_t, fs::path>> all;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    if (const std::optional<std::int64_t> step = step_of(entry.path(), prefix)) {
      all.emplace_back(*step, entry.path());
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

// Files of killed processes, whose number ends the name (see OutputFile).
void remove_unfinished(const fs::path& folder) {
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    const std::string name = entry.path().filename().string();
    const std::size_t at = name.rfind(".unfinished.");
    if (at == std::string::npos) continue;
    const fs::path output = name.substr(0, at);
    if (!step_of(output, kCheckpoint) && !step_of(output, kRowsFilePrefix)) continue;
    const int process = std::atoi(name.c_str() + name.rfind('.') + 1);
    std::error_code ignored;
    if (process > 0 && ::kill(process, 0) != 0 && errno == ESRCH) fs::remove(entry, ignored);
  }
}

}  // namespace

fs::path checkpoint_file(const fs::path& folder, std::int64_t step) {
  return file_of(folder, kCheckpoint, step);
}

fs::path row_file(const fs::path& folder, std::int64_t step) {
  return file_of(folder, kRowsFilePrefix, step);
}

fs::path newest_checkpoint(const fs::path& folder) {
  const auto all = files_of(folder, kCheckpoint);
  return all.empty() ? fs::path() : all.back().second;
}

std::vector<fs::path> newer_row_files(const fs::path& folder) {
  const auto checkpoints = files_of(folder, kCheckpoint);
  if (checkpoints.empty()) return {};
  std::vector<fs::path> newer;
  for (const auto& [step, file] : files_of(folder, kRowsFilePrefix)) {
    if (step > checkpoints.back().first) newer.push_back(file);
  }
  return newer;
}

void remove_old_checkpoints(const fs::path& folder, int keep) {
  remove_unfinished(folder);
  std::error_code ignored;
  const auto checkpoints = files_of(folder, kCheckpoint);
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < checkpoints.size(); ++i) {
    fs::remove(checkpoints[i].second, ignored);
  }
  for (const auto& [step, file] : files_of(folder, kRowsFilePrefix)) {
    if (!checkpoints.empty() && step <= checkpoints.back().first) fs::remove(file, ignored);
  }
}

}  // namespace mansard::kernels
