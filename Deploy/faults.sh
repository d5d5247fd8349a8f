#!/bin/bash
# Installs what is missing, builds, and lets every write, flush and truncation below the store go wrong in turn: write
# errors, short writes, a full disk, failed flushes and power cuts; then damages files.
# Usage: Deploy/faults.sh [STRIDE]
# With STRIDE, only every so many changes go wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
export MARQUEE_FAULT_STRIDE=${1:-1}
Deploy/setup.sh
swift build --build-tests --scratch-path .build
Deploy/tally.sh 'FaultTests|DamageTests|DiskTests'
