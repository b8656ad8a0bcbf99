# SPDX-License-Identifier: Apache-2.0
# Sourced by quickstart and run-tests: installs the Debian or Ubuntu packages that are missing.
#   prepare_packages required PACKAGE...   fails if a package cannot be installed
#   prepare_packages optional PACKAGE...   reports packages that cannot be installed, and continues

say() { printf '== %s\n' "$*" >&2; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo -n "$@"
  fi
}

can_install() {
  command -v apt-get >/dev/null 2>&1 || return 1
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null
}

is_installed() {
  dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

prepare_packages() {
  local kind=$1 package missing=()
  shift
  if ! command -v dpkg-query >/dev/null 2>&1; then
    say "not a Debian or Ubuntu machine; assuming that these packages are installed: $*"
    return 0
  fi
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! can_install; then
    say "not root: skipping the installation of ${missing[*]}"
    [ "$kind" = optional ] && return 0
    say "the build reports which features are missing without them; to install them, run as root:"
    say "  apt-get install ${missing[*]}"
    return 0
  fi
  if [ -z "${MANSARD_APT_UPDATED:-}" ]; then
    as_root apt-get update -qq || say "apt-get update failed; using the existing package lists"
    MANSARD_APT_UPDATED=1
  fi
  say "installing ${missing[*]}"
  if [ "$kind" = required ]; then
    as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    return
  fi
  # One by one, so that a release without one of them still gets the others.
  for package in "${missing[@]}"; do
    as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
      say "could not install $package; continuing without it"
  done
}

build_packages="g++ cmake ninja-build libsqlite3-dev nlohmann-json3-dev libcli11-dev libhwloc-dev
  libutfcpp-dev zlib1g-dev"
# For the GUI and the script of the HTML report; Mansard builds without them, with fewer features.
view_packages="qt6-base-dev libqt6svg6-dev fonts-dejavu-core esbuild"
test_packages="libgtest-dev libbenchmark-dev python3 sqlite3 codespell"
