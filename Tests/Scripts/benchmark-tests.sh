#!/bin/bash
# Build in debug mode and run the tests of the package Tests/Benchmarks. Installs missing Debian packages first.
# Usage: Tests/Scripts/benchmark-tests.sh [ARGUMENTS OF swift test]
set -euo pipefail
cd "$(dirname "$0")/../.."
# The folder of Marquee's debug build: modules of both packages are compiled once.
build=.build
Deploy/setup.sh
# Without the cached build plan, which may be that of the other package.
swift build --build-tests --package-path Tests/Benchmarks --scratch-path "$build" \
  --explicit-target-dependency-import-check error --disable-build-manifest-caching
exec swift test --skip-build --package-path Tests/Benchmarks --scratch-path "$build" "$@"
