#!/bin/bash
# Generate the messages of the peers from echo.proto, and build the peers in release mode into .build-peers. Installs
# missing Debian packages first. Prints the paths of grpc-swift-peer and grpc-cpp-peer on the last two lines; codec-peer
# is in the folder of the former.
set -euo pipefail
cd "$(dirname "$0")"
../../../Deploy/setup.sh g++ make libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc >&2
swift build -c release --scratch-path .build-peers --product protoc-gen-swift >&2
protoc --plugin=.build-peers/release/protoc-gen-swift --swift_out=Sources/EchoMessages --swift_opt=Visibility=Package \
  echo.proto
swift build -c release --scratch-path .build-peers >&2
make --no-print-directory -C Cpp BUILD=../.build-peers/cpp >&2
echo "$PWD/.build-peers/release/grpc-swift-peer"
echo "$PWD/.build-peers/cpp/grpc-cpp-peer"
