// SPDX-License-Identifier: Apache-2.0
// Removes secrets from command lines, because profiles and reports contain them and are shared.
#pragma once

#include <string>
#include <vector>

namespace mansard::collector {

// Returns `command` with likely secrets replaced by "<redacted>": values of options and variables
// with telling names (token, secret, password, API key, credential, ...), strings in the key
// formats of known services, passwords in URLs, and matches of `patterns` (ECMAScript). Throws
// std::invalid_argument for a pattern that is not a regular expression.
std::vector<std::string> redact(const std::vector<std::string>& command,
                                const std::vector<std::string>& patterns = {});

}  // namespace mansard::collector
