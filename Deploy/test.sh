#!/bin/bash
# Installs what is missing, builds everything, and runs all tests.
# Usage: Deploy/test.sh [ARGUMENTS OF swift test]
set -euo pipefail
cd "$(dirname "$0")/.."
Deploy/setup.sh
Deploy/peer.sh
export PATH="$PWD/.build/peer/bin:$PATH"
swift build --build-tests --scratch-path .build --explicit-target-dependency-import-check error
# One after another, since some tests measure how long the server takes.
swift test --skip-build --no-parallel --scratch-path .build "$@"
