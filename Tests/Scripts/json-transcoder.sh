#!/bin/bash
# Build in debug mode and compare the JSON transcoder with Python's google.protobuf.json_format on random messages of
# every type: both directions, other forms of the same values, merged messages, and damaged texts. Installs protobuf in
# .build/protobuf. Succeeds with a message if it cannot be installed. Ends with "N passed, N failed".
# Usage: Tests/Scripts/json-transcoder.sh [COUNT [SEED]]   (default: 20000 1)
set -euo pipefail
cd "$(dirname "$0")/../.."
python=.build/protobuf/bin/python3
version=7.36.2
Deploy/setup.sh
if [ "$($python -c 'import google.protobuf as p; print(p.__version__)' 2>/dev/null || true)" != $version ]; then
  rm -rf .build/protobuf
  mkdir -p .build
  if ! python3 -m venv .build/protobuf ||
    ! .build/protobuf/bin/pip install --quiet --disable-pip-version-check --only-binary :all: protobuf==$version; then
    rm -rf .build/protobuf
    echo "Skipped: protobuf $version cannot be installed." >&2
    exit 0
  fi
fi
Tests/Scripts/build-debug.sh marquee-transcode
exec $python Tests/Fixtures/json_differential.py .build/debug/marquee-transcode "${1:-20000}" "${2:-1}"
