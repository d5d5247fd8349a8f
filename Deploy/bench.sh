#!/bin/bash
# Installs what is missing, builds for speed, and measures what the parts cost on this machine.
# Usage: Deploy/bench.sh [PART] [--rounds COUNT], with no part for all; Deploy/bench.sh --help lists them.
set -euo pipefail
cd "$(dirname "$0")/.."
Deploy/setup.sh
swift build -c release --product MarqueeBench --scratch-path .build-release
.build-release/release/MarqueeBench "$@"
