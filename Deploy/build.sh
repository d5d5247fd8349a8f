#!/bin/bash
# Build in release mode, each function in a section of its own: the linker drops those that nothing uses, and keeps one
# of several with the same instructions, which makes marqueed 14 % smaller. Packages cannot have such options.
# Usage: Deploy/build.sh [OPTIONS OF swift build]
set -euo pipefail
cd "$(dirname "$0")/.."
exec swift build -c release -Xswiftc -Xfrontend -Xswiftc -function-sections "$@"
