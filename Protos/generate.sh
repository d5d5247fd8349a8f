#!/bin/bash
# Generate Sources/CMarqueeProtos from the .proto files in this directory with protoc-c (Debian package
# protobuf-c-compiler).
#
# libprotobuf-c represents strings as char *, which drops everything after a NUL before it can be validated. The
# services' strings are therefore generated as bytes fields, and MarqueeWire validates that they are UTF-8. The call
# protocol's own messages (marquee/rpc) keep C strings.
#
# Usage: Protos/generate.sh [OUTPUT-DIRECTORY]   (default: Sources/CMarqueeProtos)
set -euo pipefail
protos=$(cd "$(dirname "$0")" && pwd)
out=$(realpath -m "${1:-$protos/../Sources/CMarqueeProtos}")
command -v protoc-c >/dev/null || { echo "protoc-c is missing: apt-get install protobuf-c-compiler" >&2; exit 69; }
cd "$protos"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/protos" "$scratch/c"
mapfile -t files < <(find . -name '*.proto' -printf '%P\n' | LC_ALL=C sort)
cp -r . "$scratch/protos"
find "$scratch/protos" -name '*.proto' -not -path '*/marquee/rpc/*' \
  -exec sed -i -E 's/^( *(repeated )?)string /\1bytes /' {} +
protoc-c --proto_path="$scratch/protos" --c_out="$scratch/c" "${files[@]}"
rm -rf "$out"
for file in "${files[@]}"; do
  stem=${file%.proto}
  mkdir -p "$out/include/$(dirname "$stem")" "$out/$(dirname "$stem")"
  mv "$scratch/c/$stem.pb-c.h" "$out/include/$stem.pb-c.h"
  mv "$scratch/c/$stem.pb-c.c" "$out/$stem.pb-c.c"
done
