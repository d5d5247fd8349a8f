#!/bin/bash
# Build in debug or release mode and generate the man pages marquee.1 and marqueed.8 from the programs' help, with the
# plugin generate-manual of swift-argument-parser. Installs missing Debian packages first.
# Usage: Deploy/man-pages.sh OUTPUT-DIRECTORY [debug|release]   (default: debug)
set -euo pipefail
case "$# ${2:-debug}" in
  "1 debug" | "2 debug") configuration=debug scratch=.build ;;
  "2 release") configuration=release scratch=.build-release ;;
  *) echo "Usage: Deploy/man-pages.sh OUTPUT-DIRECTORY [debug|release]" >&2; exit 64 ;;
esac
out=$(realpath -m "$1")
cd "$(dirname "$0")/.."
Deploy/setup.sh
mkdir -p "$out"

# The plugin generates the pages of all programs in one section, each in a directory named for its target.
page() { # TARGET PROGRAM SECTION
  swift package --scratch-path $scratch generate-manual --configuration $configuration --section "$3"
  install -m 644 "$scratch/plugins/GenerateManual/outputs/$1/$2.$3" "$out/"
  echo "Generated $out/$2.$3"
}
page MarqueeCLI marquee 1
page MarqueeDaemon marqueed 8
