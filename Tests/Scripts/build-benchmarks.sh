#!/bin/bash
# Build MarqueeBench of the package Tests/Benchmarks in release mode and print its path. Installs missing Debian
# packages first.
# Usage: Tests/Scripts/build-benchmarks.sh [ADDITIONAL-PACKAGE...]
set -euo pipefail
cd "$(dirname "$0")/../.."
# The folder of Marquee's release build: modules of both packages are compiled once.
build=.build-release
Deploy/setup.sh "$@" >&2
# Without the cached build plan, which may be that of the other package.
Deploy/build.sh --package-path Tests/Benchmarks --scratch-path "$build" --product MarqueeBench \
  --disable-build-manifest-caching >&2
echo "$build/release/MarqueeBench"
