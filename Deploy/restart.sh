#!/bin/bash
# Installs what is missing, builds, and measures how long a server with many devices takes from its start to its first
# answer: at most 5 s. Needs about 10 KB of /tmp for each device while it runs.
# Usage: Deploy/restart.sh [DEVICES]
set -euo pipefail
cd "$(dirname "$0")/.."
export MARQUEE_RESTART_DEVICES=${1:-100000}
Deploy/setup.sh
swift build --build-tests --scratch-path .build
exec swift test --skip-build --no-parallel --scratch-path .build --filter IntegrationTests.RestartTests
