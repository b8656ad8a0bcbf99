// SPDX-License-Identifier: Apache-2.0
// Compressed JSON within the page: browsers read a page at about 12 MB/s, and inflate at 200 MB/s.
#pragma once

#include <string>
#include <string_view>

namespace mansard::reports {

// Returns {"deflate": "..."}: the JSON in the zlib format (RFC 1950), in base64 (RFC 4648).
// unpack() of packed_json.js returns the value. Throws std::bad_alloc.
std::string packed_json(std::string_view json);

}  // namespace mansard::reports
