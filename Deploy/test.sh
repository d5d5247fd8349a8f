#!/bin/bash
# Installs what is missing, builds everything with warnings as errors, and runs all tests.
# Usage: Deploy/test.sh [ARGUMENTS OF swift test]
set -euo pipefail
cd "$(dirname "$0")/.."
Deploy/setup.sh
Deploy/peer.sh
swift build --build-tests --scratch-path .build --explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors
swift test --skip-build --scratch-path .build "$@"
