// SPDX-License-Identifier: Apache-2.0
// Tests command lines as stored in profiles. The keys are made up.
#include "collector/launch/redact.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/collector/run_program.h"

namespace mansard::collector {
namespace {

using Words = std::vector<std::string>;

TEST(Redact, ValuesOfOptionsWithSecretNames) {
  EXPECT_EQ(redact({"train.py", "--hf-token", "abc", "--lr", "1e-4", "--api_key=xyz", "-v"}),
            (Words{"train.py", "--hf-token", "<redacted>", "--lr", "1e-4", "--api_key=<redacted>",
                   "-v"}));
  EXPECT_EQ(redact({"env", "WANDB_API_KEY=1234", "DB.PASSWORD=p", "python"}),
            (Words{"env", "WANDB_API_KEY=<redacted>", "DB.PASSWORD=<redacted>", "python"}));
  EXPECT_EQ(redact({"--token", "--verbose"}), (Words{"--token", "--verbose"})) << "a flag";
}

TEST(Redact, KeysInKnownFormats) {
  const std::string twenty = "abcdefghij0123456789";
  for (const std::string& key :
       {"hf_" + twenty, "ghp_" + twenty, "sk-" + twenty, "glpat-" + twenty,
        std::string("AKIAABCDEFGHIJKLMNOP"), "eyJ" + twenty + "." + twenty + "." + twenty}) {
    EXPECT_EQ(redact({"python", "-c", "login('" + key + "')"}),
              (Words{"python", "-c", "login('<redacted>')"}))
        << key;
  }
  EXPECT_EQ(redact({"curl", "-H", "Authorization: Bearer abcdefgh"}),
            (Words{"curl", "-H", "Authorization: <redacted>"}));
  EXPECT_EQ(redact({"git+https://me:pass@host/x"}), Words{"git+https://me:<redacted>@host/x"});
}

TEST(Redact, KeepsTheRest) {
  const Words words = {"python", "train.py",    "--tokens", "8192", "--max-tokens=4096",
                       "",       "tokenizer=x", "a=b",      "-x",   "--author",
                       "me"};
  EXPECT_EQ(redact(words), words);
}

TEST(Redact, UserPatterns) {
  EXPECT_EQ(redact({"--run", "project-x-7"}, {"project-[a-z]"}), (Words{"--run", "<redacted>-7"}));
  EXPECT_THROW(redact({"a"}, {"("}), std::invalid_argument);
}

TEST(Redact, ProfileHasNoSecretsAndIsPrivate) {
  const test::Scratch scratch;
  launch({.command = {test::program("ending"), "exit", "0", "--token=abc"},
          .output = (scratch / "run.sqlite").string(),
          .collector = MANSARD_TEST_COLLECTOR});
  const std::string command = store::load_profile(scratch / "run.sqlite").session.command;
  EXPECT_NE(command.find("--token="), std::string::npos) << command;
  EXPECT_EQ(test::contents(scratch / "run.sqlite").find("abc"), std::string::npos);
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(scratch / "run.sqlite").permissions(),
            perms::owner_read | perms::owner_write);
}

}  // namespace
}  // namespace mansard::collector
