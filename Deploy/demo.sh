#!/bin/bash
# Installs what is missing, builds, and shows a day of a stack of three widgets.
# Usage: Deploy/demo.sh [ARGUMENTS OF marquee demo]
set -euo pipefail
cd "$(dirname "$0")/.."
Deploy/setup.sh
swift build --product marquee-reminders --scratch-path .build
swift build --product marquee --scratch-path .build
exec .build/debug/marquee demo "$@"
