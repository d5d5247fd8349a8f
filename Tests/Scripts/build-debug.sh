#!/bin/bash
# Build products in debug mode, or the tests and all products without arguments. Installs missing Debian packages first.
# Usage: Tests/Scripts/build-debug.sh [PRODUCT...]
# With MARQUEE_SKIP_BUILD=1, nothing is built: `.ci/run` builds once, and then runs scripts at the same time.
set -euo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh
[ -z "${MARQUEE_SKIP_BUILD:-}" ] || exit 0
[ $# != 0 ] || exec swift build --build-tests --scratch-path .build --explicit-target-dependency-import-check error
for product in "$@"; do swift build --product "$product" --scratch-path .build; done
