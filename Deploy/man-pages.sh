#!/bin/bash
# Build in debug mode and generate the man pages marquee.1 and marqueed.8 from the programs' help, with the plugin
# generate-manual of swift-argument-parser. Installs missing Debian packages first.
# Usage: Deploy/man-pages.sh OUTPUT-DIRECTORY
set -euo pipefail
[ $# = 1 ] || { echo "Usage: Deploy/man-pages.sh OUTPUT-DIRECTORY" >&2; exit 64; }
out=$(realpath -m "$1")
cd "$(dirname "$0")/.."
Deploy/setup.sh
mkdir -p "$out"

# The plugin generates the pages of all programs in one section, each in a directory named for its target.
page() { # TARGET PROGRAM SECTION
  swift package --scratch-path .build generate-manual --configuration debug --section "$3"
  install -m 644 ".build/plugins/GenerateManual/outputs/$1/$2.$3" "$out/"
  echo "Generated $out/$2.$3"
}
page MarqueeCLI marquee 1
page MarqueeDaemon marqueed 8
