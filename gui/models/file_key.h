// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace mansard::gui {

// The key of a file's settings in a group of them. A file is identified by its absolute path.
QString file_key(const QString& group, const QString& file);

}  // namespace mansard::gui
