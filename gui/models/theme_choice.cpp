// SPDX-License-Identifier: Apache-2.0
#include "gui/models/theme_choice.h"

#include <QSettings>

namespace mansard::gui {
namespace {

const QString kThemeKey = QStringLiteral("theme");
const QString kLight = QStringLiteral("light");
const QString kDark = QStringLiteral("dark");

}  // namespace

void save_theme(ThemeChoice theme, QSettings& settings) {
  if (theme) {
    settings.setValue(kThemeKey, *theme == figure::Theme::dark ? kDark : kLight);
  } else {
    settings.remove(kThemeKey);
  }
}

ThemeChoice read_theme(const QSettings& settings) {
  const QString name = settings.value(kThemeKey).toString();
  if (name == kLight) return figure::Theme::light;
  if (name == kDark) return figure::Theme::dark;
  return std::nullopt;
}

}  // namespace mansard::gui
