#!/bin/bash
# Build in release mode and run the benchmarks: a Markdown table of the goals in Tests/Benchmarks/Thresholds/goals.tsv
# and the results, then a table for each part. Installs missing Debian packages first.
# Usage: Tests/Scripts/benchmark.sh [PART] [--rounds COUNT] [--peers] [--devices COUNT]
# Without PART, all parts run; --help lists them. With --devices, a server with that number of devices is also measured.
# With --peers, gRPC for Swift and C++ are also built and measured, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
Tests/Scripts/install-postgres.sh >&2
bench=$(Tests/Scripts/build-benchmarks.sh nghttp2-client)
arguments=()
for argument in "$@"; do
  arguments+=("$argument")
  if [ "$argument" = --peers ]; then
    Tests/Benchmarks/Peers/build.sh >/dev/null
    arguments+=(Tests/Benchmarks/Peers/.build-peers)
  fi
done
commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- Sources Tests/Benchmarks Package.swift || commit="$commit with local changes"
echo "$(date -u +%F), commit $commit, $(nproc) cores of $(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)"
echo
"$bench" "${arguments[@]}"
