#!/bin/bash
# Installs what is missing, builds everything, and runs all tests.
# Usage: Deploy/test.sh [ARGUMENTS OF swift test]
set -euo pipefail
cd "$(dirname "$0")/.."
Deploy/setup.sh
Deploy/peer.sh
export PATH="$PWD/.build/peer/bin:$PATH"
swift build --build-tests --scratch-path .build --explicit-target-dependency-import-check error
swift test --skip-build --scratch-path .build "$@"
