#!/bin/bash
# Build the peers in release mode into .build-peers. Installs missing Debian packages first. Prints the paths of
# grpc-swift-peer and grpc-cpp-peer on the last two lines; codec-peer is in the folder of the former.
set -euo pipefail
cd "$(dirname "$0")"
../../../Deploy/setup.sh g++ make libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc >&2
swift build -c release --scratch-path .build-peers >&2
make --no-print-directory -C Cpp BUILD=../.build-peers/cpp >&2
echo "$PWD/.build-peers/release/grpc-swift-peer"
echo "$PWD/.build-peers/cpp/grpc-cpp-peer"
