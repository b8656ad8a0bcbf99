// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/token_data.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "tests/support/scratch.h"

namespace mansard::kernels {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

void write(const fs::path& file, const std::string& content) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
}

template <class Value>
std::string bytes_of(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

std::string header(std::int32_t magic, std::int32_t version, std::int32_t tokens) {
  std::vector<std::int32_t> values(256);
  values[0] = magic;
  values[1] = version;
  values[2] = tokens;
  return bytes_of(values);
}

std::string gpt2_file(const std::vector<std::uint16_t>& tokens) {
  return header(20240520, 1, static_cast<std::int32_t>(tokens.size())) + bytes_of(tokens);
}

std::string llama3_file(const std::vector<std::uint32_t>& tokens) {
  return header(20240801, 7, static_cast<std::int32_t>(tokens.size())) + bytes_of(tokens);
}

std::vector<std::int32_t> all_tokens(const TokenData& data) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(data.tokens()));
  data.read(0, data.tokens(), tokens.data());
  return tokens;
}

// The tokens of byte-level data as text.
std::string all_text(const TokenData& data) {
  std::string text;
  for (const std::int32_t token : all_tokens(data)) text += static_cast<char>(token);
  return text;
}

void expect_error(const std::function<void()>& action, const std::vector<std::string>& parts) {
  try {
    action();
    ADD_FAILURE() << "no error that contains '" << parts.front() << "'";
  } catch (const std::runtime_error& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos)
          << "'" << part << "' is not in: " << error.what();
    }
  }
}

void expect_open_error(const fs::path& path, const std::vector<std::string>& parts) {
  expect_error([&] { TokenData::open(path); }, parts);
}

class TokenDataTest : public testing::Test {
 protected:
  test::Scratch scratch;
};

TEST_F(TokenDataTest, ReadsTheBytesOfATextFile) {
  write(scratch / "a.txt", "h\xc3\xa9\n");
  const TokenData data = TokenData::open(scratch / "a.txt");
  EXPECT_EQ(all_tokens(data), (std::vector<std::int32_t>{'h', 0xc3, 0xa9, '\n'}));
  EXPECT_EQ(data.vocabulary(), 256);
  EXPECT_EQ(data.description(), "1 text file, 4.00 B");
  EXPECT_EQ(data.path(), scratch / "a.txt");
}

TEST_F(TokenDataTest, JoinsAFolderInTheOrderOfPathsWithSeparators) {
  write(scratch / "b.txt", "bb");
  write(scratch / "a/z.txt", "az");
  write(scratch / "a/deep/er/one", "1");
  write(scratch / "B.txt", "B");
  write(scratch / "\xff", "last");  // bytes are unsigned
  const TokenData data = TokenData::open(scratch.folder());
  EXPECT_EQ(all_text(data), "B\0001\0az\0bb\0last"s);
  EXPECT_EQ(data.tokens(), 14);
  EXPECT_EQ(data.description(), "5 text files, 10.0 B");
  EXPECT_EQ(all_text(TokenData::open(scratch.folder().string() + "/")), all_text(data));
}

TEST_F(TokenDataTest, ReadsEveryRangeAcrossFiles) {
  write(scratch / "1", "abc");
  write(scratch / "2", "d");
  write(scratch / "3", "ef");
  const TokenData data = TokenData::open(scratch.folder());
  const std::vector<std::int32_t> all = all_tokens(data);
  for (std::int64_t first = 0; first <= data.tokens(); ++first) {
    for (std::int64_t count = 0; first + count <= data.tokens(); ++count) {
      std::vector<std::int32_t> part(static_cast<std::size_t>(count) + 1, -1);
      data.read(first, count, part.data());
      EXPECT_TRUE(std::equal(part.begin(), part.end() - 1, all.begin() + first));
      EXPECT_EQ(part.back(), -1) << "written beyond the end";
    }
  }
  std::int32_t token = 0;
  EXPECT_THROW(data.read(-1, 1, &token), std::out_of_range);
  EXPECT_THROW(data.read(data.tokens(), 1, &token), std::out_of_range);
  EXPECT_THROW(data.read(0, -1, &token), std::out_of_range);
}

// Both sides of the size from which files are mapped, and of the size of a read.
TEST_F(TokenDataTest, ReadsSmallAndMappedFilesAlike) {
  for (const std::size_t bytes :
       {std::size_t{8191}, std::size_t{8193}, FileContent::kMappedBytes - 1,
        FileContent::kMappedBytes, FileContent::kMappedBytes + 1, std::size_t{300001}}) {
    std::string text(bytes, ' ');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + i * i % 23);
    write(scratch / "text", text);
    EXPECT_EQ(all_text(TokenData::open(scratch / "text")), text) << bytes;
  }
}

TEST_F(TokenDataTest, CountsSkippedFiles) {
  write(scratch / "kept", "text");
  write(scratch / "kept too", std::string(8192, 'x') + '\0');  // beyond the inspected head
  write(scratch / "image", std::string(8191, 'x') + '\0');
  write(scratch / "text.gz", "\x1f\x8btext");
  write(scratch / "empty1", "");
  write(scratch / "empty2", "");
  write(scratch / ".hidden", "hidden");
  write(scratch / ".git/config", "hidden");
  write(scratch / "folder/inner", "inner");
  fs::create_directory_symlink("folder", scratch / "link to folder");
  fs::create_symlink("kept", scratch / "link");
  fs::create_symlink("nowhere", scratch / "broken");
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  const TokenData data = TokenData::open(scratch.folder());
  EXPECT_EQ(all_text(data), "inner\0text\0"s + std::string(8192, 'x') + "\0\0text"s);
  EXPECT_EQ(data.skipped().binary, 1);
  EXPECT_EQ(data.skipped().gzip, 1);
  EXPECT_EQ(data.skipped().empty, 2);
  EXPECT_EQ(data.skipped().hidden, 2);
  EXPECT_EQ(data.skipped().folder_links, 1);
  EXPECT_EQ(data.skipped().special, 2);
  EXPECT_EQ(data.skipped().description(),
            "1 binary file, 1 gzip file, 2 empty files, 2 hidden names, 1 folder link, "
            "2 special files");
  EXPECT_EQ(TokenData::open(scratch / "kept").skipped().description(), "");
}

TEST_F(TokenDataTest, ReadsTokenFiles) {
  write(scratch / "gpt2.bin", gpt2_file({50256, 1, 2}));
  const TokenData gpt2 = TokenData::open(scratch / "gpt2.bin");
  EXPECT_EQ(all_tokens(gpt2), (std::vector<std::int32_t>{50256, 1, 2}));
  EXPECT_EQ(gpt2.vocabulary(), 50257);
  EXPECT_EQ(gpt2.description(), "1 GPT-2 token file, 3 tokens");

  write(scratch / "llama3.bin", llama3_file({128255, 7}));
  const TokenData llama3 = TokenData::open(scratch / "llama3.bin");
  EXPECT_EQ(all_tokens(llama3), (std::vector<std::int32_t>{128255, 7}));
  EXPECT_EQ(llama3.vocabulary(), 128256);
  EXPECT_EQ(llama3.description(), "1 Llama 3 token file, 2 tokens");
}

TEST_F(TokenDataTest, JoinsTokenFilesWithoutSeparators) {
  std::vector<std::uint16_t> large(100000);  // mapped
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<std::uint16_t>(i % 50257);
  write(scratch / "train_1.bin", gpt2_file({11, 12}));
  write(scratch / "train_0.bin", gpt2_file(large));
  write(scratch / "hellaswag.bin", header(20240522, 1, 0));
  const TokenData data = TokenData::open(scratch.folder());
  std::vector<std::int32_t> expected(large.begin(), large.end());
  expected.insert(expected.end(), {11, 12});
  EXPECT_EQ(all_tokens(data), expected);
  EXPECT_EQ(data.skipped().binary, 1);
  EXPECT_EQ(data.description(), "2 GPT-2 token files, 100,002 tokens");
}

TEST_F(TokenDataTest, RejectsTokensOutsideOfTheVocabulary) {
  std::vector<std::uint16_t> tokens(20000, 5);
  tokens[12345] = 50257;
  write(scratch / "a.bin", gpt2_file({1}));
  write(scratch / "b.bin", gpt2_file(tokens));
  const TokenData data = TokenData::open(scratch.folder());
  expect_error([&] { all_tokens(data); },
               {(scratch / "b.bin").string(), "token 12,345 is 50257", "50,257 tokens"});
  std::int32_t token = 0;
  EXPECT_NO_THROW(data.read(0, 1, &token));

  write(scratch / "llama3", llama3_file({1, 0xffffffff}));
  expect_error([&] { all_tokens(TokenData::open(scratch / "llama3")); },
               {"llama3' is damaged: token 1 is 4294967295"});
}

TEST_F(TokenDataTest, RejectsDamagedTokenFiles) {
  const fs::path file = scratch / "data.bin";
  const std::string good = gpt2_file({1, 2, 3});
  write(file, header(20240522, 1, 3));
  expect_open_error(file, {file.string(), "20240522", "20240520 (GPT-2)", "20240801 (Llama 3)"});
  write(file, header(20240520, 2, 3) + "123456");
  expect_open_error(file, {file.string(), "version 2", "only version 1"});
  write(file, header(20240801, 1, 3) + "123456789012");
  expect_open_error(file, {file.string(), "version 1", "only version 7"});
  for (const std::string& damaged : {good.substr(0, good.size() - 1), good + "x"}) {
    write(file, damaged);
    expect_open_error(file, {file.string(), "3 tokens (1,030 bytes)", "copy or create it again"});
  }
  write(file, good.substr(0, 100));
  expect_open_error(file, {file.string(), "truncated", "100 bytes"});
  write(file, gpt2_file({}));
  expect_open_error(file, {file.string(), "0 tokens"});
  write(file, header(20240520, 1, -1));
  expect_open_error(file, {file.string(), "-1 token"});
  write(file, good);
  EXPECT_NO_THROW(TokenData::open(file));
}

TEST_F(TokenDataTest, RejectsFilesThatAreNotText) {
  write(scratch / "empty", "");
  expect_open_error(scratch / "empty", {(scratch / "empty").string(), "is empty"});
  write(scratch / "gz", "\x1f\x8b\x08 and more");
  expect_open_error(scratch / "gz", {(scratch / "gz").string(), "gunzip"});
  write(scratch / "short", "a\0"s);
  expect_open_error(scratch / "short", {(scratch / "short").string(), "neither text"});
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  expect_open_error(scratch / "pipe", {(scratch / "pipe").string(), "is a pipe"});
  expect_open_error(scratch / "missing",
                    {(scratch / "missing").string(), "does not exist", "give"});
}

TEST_F(TokenDataTest, RejectsFoldersWithoutOneKindOfData) {
  fs::create_directory(scratch / "folder");
  expect_open_error(scratch / "folder", {(scratch / "folder").string(), "it is empty"});
  write(scratch / "folder/image", "\0"s);
  expect_open_error(scratch / "folder", {(scratch / "folder").string(), "skipped: 1 binary file"});
  write(scratch / "folder/a.bin", gpt2_file({1}));
  EXPECT_NO_THROW(TokenData::open(scratch / "folder"));
  write(scratch / "folder/b.txt", "text");
  expect_open_error(scratch / "folder",
                    {"different kinds", "'a.bin' (GPT-2 tokens)", "'b.txt' (text)"});
  write(scratch / "folder/b.txt", llama3_file({1}));
  expect_open_error(scratch / "folder", {"'b.txt' (Llama 3 tokens)"});
}

TEST_F(TokenDataTest, ReportsMissingPermissions) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read every file";
  write(scratch / "folder/closed/file", "text");
  const fs::path file = scratch / "folder/closed/file", closed = scratch / "folder/closed";
  fs::permissions(file, fs::perms::none);
  expect_open_error(scratch.folder(), {file.string(), "Permission denied"});
  fs::permissions(file, fs::perms::owner_read);
  fs::permissions(closed, fs::perms::none);
  expect_open_error(scratch.folder(), {closed.string(), "Permission denied"});
  expect_open_error(file, {file.string(), "Permission denied"});
  fs::permissions(closed, fs::perms::owner_all);
}

TEST_F(TokenDataTest, KeepsDeletedAndReplacedFiles) {
  const std::string large(100000, 'a');
  write(scratch / "large", large);
  write(scratch / "small", "b");
  const TokenData data = TokenData::open(scratch.folder());
  fs::remove(scratch / "large");
  write(scratch / "new", std::string(100000, 'c'));
  fs::rename(scratch / "new", scratch / "small");
  EXPECT_EQ(all_text(data), large + "\0b"s);
}

TEST_F(TokenDataTest, ReportsTruncationInsteadOfDyingOfASignal) {
  char from = 1, to = 0;
  const iovec local = {&to, 1}, remote = {&from, 1};
  if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != 1) {
    GTEST_SKIP() << "process_vm_readv() is forbidden here: " << errno;
  }
  write(scratch / "large", std::string(100000, 'a'));
  const TokenData data = TokenData::open(scratch / "large");
  fs::resize_file(scratch / "large", 4096);
  std::int32_t token = 0;
  EXPECT_NO_THROW(data.read(4095, 1, &token));
  expect_error([&] { data.read(99999, 1, &token); },
               {(scratch / "large").string(), "was truncated"});
  expect_error([&] { all_tokens(data); }, {"was truncated"});
}

TEST_F(TokenDataTest, FingerprintIsThatOfTheContent) {
  const auto fingerprint = [&](const std::string& name) {
    return TokenData::open(scratch / name).fingerprint();
  };
  for (const char* folder : {"one/", "two/"}) {
    write(scratch / (folder + "a"s), "first");
    write(scratch / (folder + "sub/b"s), "second");
  }
  const std::uint64_t original = fingerprint("one");
  EXPECT_EQ(fingerprint("two"), original) << "independent of the place of the folder";
  EXPECT_EQ(original, 5768622272645032978u) << "part of checkpoints: must not change";
  write(scratch / "two/a", "First");
  EXPECT_NE(fingerprint("two"), original) << "content";
  write(scratch / "two/a", "first!");
  EXPECT_NE(fingerprint("two"), original) << "size";
  write(scratch / "two/a", "first");
  fs::rename(scratch / "two/a", scratch / "two/A");
  EXPECT_NE(fingerprint("two"), original) << "name";
  fs::rename(scratch / "two/A", scratch / "two/a");
  EXPECT_EQ(fingerprint("two"), original);

  write(scratch / "text", "first");
  fs::rename(scratch / "text", scratch / "renamed");
  write(scratch / "text", "first");
  EXPECT_EQ(fingerprint("text"), fingerprint("renamed")) << "a single file has no relative name";
}

TEST_F(TokenDataTest, FingerprintSamplesAllOfLargeData) {
  std::string text(4096 * 64, 'x');
  write(scratch / "text", text);
  const std::uint64_t original = TokenData::open(scratch / "text").fingerprint();
  for (std::size_t at = 0; at < text.size(); at += 9973) {
    text[at] = 'y';
    write(scratch / "text", text);
    EXPECT_NE(TokenData::open(scratch / "text").fingerprint(), original) << at;
    text[at] = 'x';
  }
  // Samples of larger data are at multiples of a distance: changes of 1 % of it are found.
  text.assign(10'000'000, 'x');
  write(scratch / "text", text);
  const std::uint64_t large = TokenData::open(scratch / "text").fingerprint();
  std::fill_n(text.begin() + 7'654'321, 100'000, 'y');
  write(scratch / "text", text);
  EXPECT_NE(TokenData::open(scratch / "text").fingerprint(), large);
}

}  // namespace
}  // namespace mansard::kernels
