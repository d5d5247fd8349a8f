#!/bin/bash
# Lint the .proto files, verify that they are compatible with the baseline, and validate the OpenAPI description. The
# rules are in Protos/buf.yaml. The baseline is a file, so that no history is needed: a checkout can have a single commit.
# Installs missing Debian packages first, and buf and openapi-spec-validator in .build/buf. Succeeds with a message if
# these cannot be installed.
# Usage: Tests/Scripts/protos.sh [--update-baseline]
set -euo pipefail
cd "$(dirname "$0")/../.."
baseline=Tests/Fixtures/protos/baseline.binpb
buf=.build/buf/bin/buf
validator=.build/buf/bin/openapi-spec-validator
version=1.75.0
validator_version=0.9.0
Deploy/setup.sh

if [ "$($buf --version 2>/dev/null || true)" != $version ] ||
  ! $validator --version 2>/dev/null | grep -qF " $validator_version"; then
  rm -rf .build/buf
  mkdir -p .build
  if ! python3 -m venv .build/buf ||
    ! .build/buf/bin/pip install --quiet --disable-pip-version-check --only-binary :all: buf-bin==$version \
      openapi-spec-validator==$validator_version; then
    rm -rf .build/buf
    echo "Skipped: buf $version and openapi-spec-validator $validator_version cannot be installed." >&2
    [ $# = 0 ] && exit 0 || exit 69
  fi
fi

$buf lint Protos
case "${1:-}" in
  --update-baseline) exec $buf build Protos --exclude-source-info -o $baseline ;;
  "") ;;
  *) echo "Usage: Tests/Scripts/protos.sh [--update-baseline]" >&2; exit 64 ;;
esac
$buf breaking Protos --against $baseline
echo "The .proto files are compatible with the baseline"
$validator Protos/openapi.json
