#!/bin/bash
# Generate Sources/CMarqueeProtos from the .proto files in this directory with protoc-c (Debian package
# protobuf-c-compiler), and Sources/MarqueeWire/Generated with WireGenerator from the descriptors that protoc writes
# (package protobuf-compiler) and swift-names.txt.
#
# libprotobuf-c represents strings as char *, which drops everything after a NUL before it can be validated. The
# services' strings are therefore generated as bytes fields, and MarqueeWire validates that they are UTF-8. The call
# protocol's own messages (marquee/rpc) keep C strings, and have no generated Swift code.
#
# Usage: Protos/generate.sh [OUTPUT-DIRECTORY]   (default: Sources)
set -euo pipefail
protos=$(cd "$(dirname "$0")" && pwd)
out=$(realpath -m "${1:-$protos/../Sources}")
command -v protoc-c >/dev/null || { echo "protoc-c is missing: apt-get install protobuf-c-compiler" >&2; exit 69; }
command -v protoc >/dev/null || { echo "protoc is missing: apt-get install protobuf-compiler" >&2; exit 69; }
cd "$protos"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/protos" "$scratch/c" "$scratch/swift"
mapfile -t files < <(find . -name '*.proto' -printf '%P\n' | LC_ALL=C sort)
mapfile -t services < <(printf '%s\n' "${files[@]}" | grep -v '^marquee/rpc/')

for file in "${files[@]}"; do cp --parents "$file" "$scratch/protos"; done
(cd "$scratch/protos" && sed -i -E 's/^( *(repeated )?)string /\1bytes /' "${services[@]}")
protoc-c --proto_path="$scratch/protos" --c_out="$scratch/c" "${files[@]}"

swiftc -swift-version 6 -warnings-as-errors WireGenerator/*.swift -o "$scratch/generator"
protoc --include_source_info --descriptor_set_out="$scratch/descriptors" "${services[@]}"
"$scratch/generator" "$scratch/descriptors" swift-names.txt "$scratch/swift"
swift format --in-place --configuration ../.swift-format "$scratch"/swift/*.swift

rm -rf "$out/CMarqueeProtos" "$out/MarqueeWire/Generated"
for file in "${files[@]}"; do
  stem=${file%.proto}
  mkdir -p "$out/CMarqueeProtos/include/$(dirname "$stem")" "$out/CMarqueeProtos/$(dirname "$stem")"
  mv "$scratch/c/$stem.pb-c.h" "$out/CMarqueeProtos/include/$stem.pb-c.h"
  mv "$scratch/c/$stem.pb-c.c" "$out/CMarqueeProtos/$stem.pb-c.c"
done
mkdir -p "$out/MarqueeWire"
mv "$scratch/swift" "$out/MarqueeWire/Generated"
