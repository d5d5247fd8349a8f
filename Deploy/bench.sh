#!/bin/bash
# Installs what is missing, builds for speed, and measures what the parts cost on this machine: a Markdown table of what
# is aimed at with what was measured, then those of each part.
# Usage: Deploy/bench.sh [PART] [--rounds COUNT] [--peers] [--devices COUNT], with no part for all;
# Deploy/bench.sh --help lists them. With --devices, a server with so many of them is measured too.
# With --peers, gRPC's implementations for Swift and C++ are built and measured too, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
Deploy/setup.sh
swift build -c release --product MarqueeBench --scratch-path .build-release
arguments=()
for argument in "$@"; do
  arguments+=("$argument")
  if [ "$argument" = --peers ]; then
    Sources/MarqueeBench/Peers/build.sh >/dev/null
    arguments+=(Sources/MarqueeBench/Peers/.build-peers)
  fi
done
commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- Sources Package.swift || commit="$commit and changes to it"
echo "$(date -u +%F), commit $commit, $(nproc) cores of $(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)"
echo
.build-release/release/MarqueeBench "${arguments[@]}"
