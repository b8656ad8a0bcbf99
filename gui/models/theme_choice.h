// SPDX-License-Identifier: Apache-2.0
// The theme that the user chose, stored in the settings.
#pragma once

#include <optional>

#include "reports/figure/palette.h"

class QSettings;

namespace mansard::gui {

// Empty: as the desktop.
using ThemeChoice = std::optional<figure::Theme>;

void save_theme(ThemeChoice theme, QSettings& settings);
// As the desktop if nothing valid is stored.
ThemeChoice read_theme(const QSettings& settings);

}  // namespace mansard::gui
