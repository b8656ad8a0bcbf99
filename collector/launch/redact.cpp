// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/redact.h"

#include <regex>
#include <stdexcept>

namespace mansard::collector {
namespace {

constexpr const char* kRedacted = "<redacted>";
// std::regex would use too much stack for longer words, such as the code after `python -c`.
constexpr std::size_t kMaxWordLength = 4096;

// "--hf-token", "WANDB_API_KEY", "db.password".
const std::regex& secret_name() {
  static const std::regex name(
      "(^|[^a-z])(token|secret|password|passwd|passphrase|pwd|credentials?|auth(orization)?|"
      "api[-_.]?key|access[-_.]?key|private[-_.]?key|secret[-_.]?key)$",
      std::regex::icase);
  return name;
}

const std::vector<std::regex>& secret_forms() {
  static const std::vector<std::regex> forms = [] {
    std::vector<std::regex> all;
    for (const char* form : {
             "hf_[A-Za-z0-9]{20,}",                                         // Hugging Face
             "gh[pousr]_[A-Za-z0-9]{20,}", "github_pat_[A-Za-z0-9_]{20,}",  // GitHub
             "glpat-[A-Za-z0-9_-]{16,}",                                    // GitLab
             "sk-[A-Za-z0-9_-]{20,}",                                       // OpenAI and others
             "nvapi-[A-Za-z0-9_-]{20,}",                                    // NVIDIA
             "(AKIA|ASIA)[0-9A-Z]{16}",                                     // AWS
             "AIza[A-Za-z0-9_-]{30,}",                                      // Google
             "[Bb]earer +[A-Za-z0-9._~+/=-]{8,}",                           // HTTP
             "xox[abprs]-[A-Za-z0-9-]{10,}",                                // Slack
             "eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*",   // JSON Web Token
         }) {
      all.emplace_back(form);
    }
    return all;
  }();
  return forms;
}

std::string without_forms(std::string word, const std::vector<std::regex>& patterns) {
  static const std::regex password_in_url("(://[^/@:\\s]*:)[^/@\\s]+@");
  word = std::regex_replace(word, password_in_url, std::string("$1") + kRedacted + "@");
  for (const std::regex& form : secret_forms()) word = std::regex_replace(word, form, kRedacted);
  for (const std::regex& form : patterns) word = std::regex_replace(word, form, kRedacted);
  return word;
}

bool names_a_secret(const std::string& name) { return std::regex_search(name, secret_name()); }

}  // namespace

std::vector<std::string> redact(const std::vector<std::string>& command,
                                const std::vector<std::string>& patterns) {
  std::vector<std::regex> given;
  for (const std::string& pattern : patterns) {
    try {
      given.emplace_back(pattern);
    } catch (const std::regex_error& error) {
      throw std::invalid_argument("--redact '" + pattern +
                                  "' is not a regular expression: " + error.what());
    }
  }
  std::vector<std::string> out;
  bool secret_follows = false;
  for (const std::string& word : command) {
    const bool is_option = word.size() > 1 && word.front() == '-';
    if (secret_follows && !is_option) {
      out.emplace_back(kRedacted);
      secret_follows = false;
      continue;
    }
    secret_follows = false;
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, std::min(equals, kMaxWordLength));
    if (equals != word.npos && name.find_first_of(" \t\n") == name.npos && names_a_secret(name)) {
      out.push_back(name + "=" + kRedacted);
      continue;
    }
    secret_follows = is_option && equals == word.npos && names_a_secret(name);
    std::string shown;
    for (std::size_t at = 0; at < word.size() || at == 0; at += kMaxWordLength) {
      shown += without_forms(word.substr(at, kMaxWordLength), given);
    }
    out.push_back(std::move(shown));
  }
  return out;
}

}  // namespace mansard::collector
