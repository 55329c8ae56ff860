#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the Debian 12 packages that building and testing needs, and says nothing
# when they are there: no network is touched then. Where it may not install, it
# prints the exact command and fails.
set -euo pipefail

packages=(
  cmake ninja-build ccache pkgconf git python3 python3-numpy python3-psutil
  python3-dev python3-venv python3-pip
  clang-22 lld-22 clang-format-22
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  libzstd-dev zlib1g-dev libxml2-dev libedit-dev libffi-dev libcurl4-openssl-dev
  libgtest-dev nlohmann-json3-dev libboost-context-dev
)

is_installed() {
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

if ! command -v dpkg-query >/dev/null; then
  echo "mlir-tile builds on Debian 12; on another system install what these packages hold," \
    "with LLVM and MLIR 22: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

install=(apt-get install -y --no-install-recommends "${missing[@]}")
if ((EUID != 0)); then
  echo "missing packages; as root, run:" >&2
  echo "  apt-get update && ${install[*]}" >&2
  exit 1
fi

echo "== installing ${#missing[@]} packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
failed_to_install() {
  echo "could not install from Debian's packages (no network?); when there is one, run:" >&2
  echo "  apt-get update && ${install[*]}" >&2
  exit 1
}
apt-get update -q >/dev/null || failed_to_install
"${install[@]}" -q >/dev/null || failed_to_install
