// SPDX-License-Identifier: Apache-2.0
// Almost valid JSON, whole and in pieces of every size: a piece may end anywhere.
#include "collector/import/trace_text.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace mansard::collector {
namespace {

class Pieces : public ByteSource {
 public:
  Pieces(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min({size, piece_, text_.size() - at_});
    std::copy_n(text_.data() + at_, count, to);
    at_ += count;
    return count;
  }
  std::uint64_t bytes_read() const override { return at_; }

 private:
  std::string text_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

void expect_repaired(const std::string& text, const std::string& expected) {
  for (std::size_t piece = 1; piece <= text.size() + 1; ++piece) {
    Pieces bytes(text, piece);
    TraceText repaired(bytes);
    std::string read;
    for (auto at = repaired.begin(); at != TraceText::end(); ++at) read += *at;
    EXPECT_EQ(read, expected) << "in pieces of " << piece;
    EXPECT_EQ(repaired.characters_read(), expected.size());
  }
}

TEST(TraceText, ValidJsonIsUnchanged) {
  for (const std::string text :
       {"", "{}", R"({"a": [1, -2.5e+10, 0.001, true, false, null], "b": "NaN inf \" \\ \u00e9"})",
        "{\"name\": \"z\xc3\xa4hlen \xe2\x82\xac \xf0\x9f\x94\xa5\"}"}) {
    expect_repaired(text, text);
  }
}

TEST(TraceText, NotANumber) {
  expect_repaired(R"({"a": NaN, "b":-nan,"c": inf })", R"({"a": "" , "b":""  ,"c": ""  })");
  expect_repaired("[Infinity,-Infinity,1.#IND]", R"([""      ,""       ,""    ])");
  expect_repaired("[-nan(ind), nan(0x7ff8), -1.#QNAN]", R"([""       , ""         , ""      ])");
}

// Numbers that overflow a double, next to valid ones.
TEST(TraceText, NumbersThatAreTooLarge) {
  expect_repaired("[1e999, -1E+400, 1e308]", R"([""   , ""     , 1e308])");
  expect_repaired("[1e-999, 5E-324]", "[1e-999, 5E-324]");
  const std::string long_number(400, '9');
  expect_repaired("[" + long_number + "]", "[\"\"" + std::string(398, ' ') + "]");
}

TEST(TraceText, ControlCharactersInNames) {
  expect_repaired("{\"a\tb\": \"c\nd\"}\n", "{\"a b\": \"c d\"}\n");
}

TEST(TraceText, UnescapedPaths) {
  expect_repaired(R"(["C:\Users\tmp\\x"])", R"(["C:/Users\tmp\\x"])");
  expect_repaired(R"(["D:\utils\train.py", "\u12", "\u12g4"])",
                  R"(["D:/utils\train.py", "/u12", "/u12g4"])");
}

// Two escapes form one character; writers that truncate names may leave half of it.
TEST(TraceText, UnpairedSurrogates) {
  const std::string whole = R"(["\ud83d\ude00", "\u00e9"])";
  expect_repaired(whole, whole);
  expect_repaired(R"(["\ud83d"])", R"(["\ufffd"])");
  expect_repaired(R"(["\ud83d\ud83d\ude00"])", R"(["\ufffd\ud83d\ude00"])");
  expect_repaired(R"(["\ude00 \uD83D\n"])", R"(["\ufffd \ufffd\n"])");
}

// Nothing follows that would determine the escape.
TEST(TraceText, TextsThatEndInAnEscape) {
  expect_repaired(R"(["\)", R"(["\)");
  expect_repaired(R"(["\ud83d)", R"(["\ufffd)");
  expect_repaired(R"(["\ud8)", R"(["/ud8)");
}

// A stray continuation byte, an incomplete sequence, an overlong slash, a surrogate.
TEST(TraceText, InvalidUtf8) {
  expect_repaired("[\"\x80 \xc3( \xc0\xaf \xed\xa0\x80\"]", "[\"? ?( ?? ???\"]");
}

}  // namespace
}  // namespace mansard::collector
