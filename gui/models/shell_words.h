// SPDX-License-Identifier: Apache-2.0
// Parses and quotes command lines like a POSIX shell, without running one: quotes and backslashes
// are interpreted, everything else is literal.
#pragma once

#include <QString>
#include <QStringList>

namespace mansard::gui {

struct ShellWords {
  QStringList words;
  QString problem;  // set if a quote is not closed; there are no words then
  // Unquoted characters that a shell would interpret but this parser does not: "|$".
  QString not_interpreted;
};

ShellWords split_shell_words(const QString& line);

// Quoted so that a shell parses it into the same words.
QString join_shell_words(const QStringList& words);

}  // namespace mansard::gui
