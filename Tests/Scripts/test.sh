#!/bin/bash
# Build in debug mode and run all tests. Installs missing Debian packages first.
# Usage: Tests/Scripts/test.sh [ARGUMENTS OF swift test]
set -euo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh
Tests/Scripts/install-ical-oracle.sh
export PATH="$PWD/.build/peer/bin:$PATH"
swift build --build-tests --scratch-path .build --explicit-target-dependency-import-check error
# Not in parallel, since some tests measure the server's response times.
exec swift test --skip-build --no-parallel --scratch-path .build "$@"
