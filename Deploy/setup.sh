#!/bin/bash
# Installs the Debian packages that Marquee is built and run with, those that are missing. Needs root or sudo then.
# Usage: Deploy/setup.sh [FURTHER-PACKAGE...]
set -euo pipefail
packages=(
  pkg-config libsqlite3-dev        # the store, through GRDB
  libprotobuf-c-dev                # messages
  protobuf-c-compiler              # their generated code is checked against the .proto files
  libgoogle-perftools-dev          # tcmalloc, the server's allocator
  libical-dev                      # calendars
  librsvg2-dev fonts-dejavu-core   # pictures
  prometheus                       # promtool, for the rules that alert
  systemd procps util-linux        # units
  openssl                          # certificates for the tests of TLS
  libfaketime                      # a clock that can be set, for attacks
  python3-venv                     # the peer that calendars are compared with
  "$@"
)
missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "Installing ${missing[*]}"
  run=()
  [ "$(id -u)" = 0 ] || run=(sudo)
  "${run[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
command -v swift >/dev/null || { echo "The Swift toolchain (6.3 or later) is missing: https://www.swift.org/install" >&2; exit 69; }
