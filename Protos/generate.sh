#!/bin/bash
# Writes Sources/CMarqueeProtos from the .proto files here, with protoc-c of Debian's protobuf-c-compiler.
# Usage: Protos/generate.sh [OUTPUT-DIRECTORY]   (default: Sources/CMarqueeProtos)
set -euo pipefail
protos=$(cd "$(dirname "$0")" && pwd)
out=${1:-$protos/../Sources/CMarqueeProtos}
command -v protoc-c >/dev/null || { echo "protoc-c is missing: apt-get install protobuf-c-compiler" >&2; exit 69; }
cd "$protos"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mapfile -t files < <(find . -name '*.proto' -printf '%P\n' | LC_ALL=C sort)
protoc-c --proto_path=. --c_out="$scratch" "${files[@]}"
rm -rf "$out"
for file in "${files[@]}"; do
  stem=${file%.proto}
  mkdir -p "$out/include/$(dirname "$stem")" "$out/$(dirname "$stem")"
  mv "$scratch/$stem.pb-c.h" "$out/include/$stem.pb-c.h"
  mv "$scratch/$stem.pb-c.c" "$out/$stem.pb-c.c"
done
