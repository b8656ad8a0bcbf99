# SPDX-License-Identifier: Apache-2.0
# Sourced by quickstart and run-tests: installs the Debian or Ubuntu packages that are missing.
#   prepare_packages required PACKAGE...   stops when one cannot be had
#   prepare_packages optional PACKAGE...   says what will be missing, and goes on

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
    say "this is no Debian or Ubuntu machine: taking for granted that these are installed: $*"
    return 0
  fi
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! can_install; then
    say "not root: skipping the installation of ${missing[*]}"
    [ "$kind" = optional ] && return 0
    say "what is built without them will say what it lacks; to have all of it, run as root:"
    say "  apt-get install ${missing[*]}"
    return 0
  fi
  if [ -z "${MANSARD_APT_UPDATED:-}" ]; then
    as_root apt-get update -qq || say "apt-get update failed; trying with the lists that are there"
    MANSARD_APT_UPDATED=1
  fi
  say "installing ${missing[*]}"
  if [ "$kind" = required ]; then
    as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    return
  fi
  # One by one: a release that lacks one of them still gets the others.
  for package in "${missing[@]}"; do
    as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
      say "could not install $package; going on without it"
  done
}

build_packages="g++ cmake ninja-build libsqlite3-dev nlohmann-json3-dev libcli11-dev libhwloc-dev
  libutfcpp-dev zlib1g-dev"
# The GUI, and the script of the HTML report; Mansard builds without them and does less.
view_packages="qt6-base-dev libqt6svg6-dev fonts-dejavu-core esbuild"
test_packages="libgtest-dev libbenchmark-dev python3 sqlite3"
