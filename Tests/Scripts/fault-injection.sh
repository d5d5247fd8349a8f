#!/bin/bash
# Build in debug mode and inject faults into every write, flush and truncation below the store: write errors, short
# writes, a full disk, failed flushes and power cuts; then test damaged files. Installs missing Debian packages first.
# Usage: Tests/Scripts/fault-injection.sh [STRIDE]
# With STRIDE, only every STRIDE-th operation fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
export MARQUEE_FAULT_STRIDE=${1:-1}
Tests/Scripts/build-debug.sh
Tests/Scripts/run-tests-with-totals.sh 'FaultTests|DamageTests|DiskTests'
