#!/bin/bash
# Build in debug mode and run the demo: a simulated day of a stack with three widgets. Installs missing Debian packages
# first.
# Usage: Deploy/demo.sh [ARGUMENTS OF marquee demo]
set -euo pipefail
cd "$(dirname "$0")/.."
Deploy/setup.sh
# CI has built them.
[ -n "${MARQUEE_SKIP_BUILD:-}" ] ||
  for product in marqueed marquee-reminders marquee; do swift build --product $product --scratch-path .build; done
exec .build/debug/marquee demo "$@"
