// SPDX-License-Identifier: Apache-2.0
// Command lines without secrets: profiles and reports hold them, and are passed on.
#pragma once

#include <string>
#include <vector>

namespace mansard::collector {

// `command` with what looks like a secret replaced by "<redacted>": values of options and variables
// whose names say so (token, secret, password, API key, credential, ...), strings of the forms that
// services give their keys, passwords in URLs, and what matches `patterns` (ECMAScript). Throws
// std::invalid_argument for a pattern that is not a regular expression.
std::vector<std::string> redact(const std::vector<std::string>& command,
                                const std::vector<std::string>& patterns = {});

}  // namespace mansard::collector
