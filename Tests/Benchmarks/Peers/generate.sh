#!/bin/bash
# Writes Sources/EchoMessages from Marquee's .proto files, with protoc of Debian's protobuf-compiler and the
# protoc-gen-swift of swift-protobuf 1.39.0:
#   git clone --branch 1.39.0 https://github.com/apple/swift-protobuf
#   swift build --package-path swift-protobuf --product protoc-gen-swift
# Usage: generate.sh PROTOC-GEN-SWIFT
set -euo pipefail
plugin=$(realpath "${1:?Usage: generate.sh PROTOC-GEN-SWIFT}")
cd "$(dirname "$0")"
command -v protoc >/dev/null || { echo "protoc is missing: apt-get install protobuf-compiler" >&2; exit 69; }
out=Sources/EchoMessages
rm -f "$out"/*.pb.swift
protoc --proto_path=../../../Protos --plugin=protoc-gen-swift="$plugin" \
  --swift_out="$out" --swift_opt=FileNaming=DropPath,Visibility=Package \
  grpc/health/v1/health.proto marquee/v1/{provider,query,widget}.proto
