#!/bin/bash
# Install the missing Debian packages that building, running and testing Marquee requires. Needs root or sudo to do so.
# Usage: Deploy/setup.sh [ADDITIONAL-PACKAGE...]
set -euo pipefail
packages=(
  pkg-config libsqlite3-dev        # the store, through GRDB
  libpq-dev                        # connections to PostgreSQL
  libxxhash-dev                    # checksums of stored records
  libprotobuf-c-dev                # protobuf messages
  libnghttp2-dev                   # HTTP/2
  protobuf-compiler                # to verify the generated code against the .proto files
  protobuf-c-compiler
  libgoogle-perftools-dev          # tcmalloc, the server's allocator
  libical-dev                      # iCalendar feeds
  librsvg2-dev fonts-dejavu-core   # rendering images
  prometheus                       # promtool, to verify the alert rules
  systemd procps util-linux        # tests of the systemd units
  openssl                          # certificates for TLS tests
  libfaketime                      # clock changes in the robustness suite
  python3-venv                     # the iCalendar oracle, and buf
  "$@"
)
missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  # Scripts that run at the same time install their packages one after the other.
  exec {lock}<"$0"
  flock $lock
  echo "Installing ${missing[*]}"
  run=()
  [ "$(id -u)" = 0 ] || run=(sudo)
  "${run[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
command -v swift >/dev/null || { echo "The Swift toolchain (6.3 or later) is missing: https://www.swift.org/install" >&2; exit 69; }
