#!/bin/bash
# Installs what is missing, builds for speed, and measures what the predictor costs on this machine.
# Usage: Deploy/bench.sh [--rounds COUNT]
set -euo pipefail
cd "$(dirname "$0")/.."
Deploy/setup.sh
swift build -c release --product MarqueeBench --scratch-path .build-release
.build-release/release/MarqueeBench "$@"
