#!/bin/bash
# Build in debug mode, and build, install and test the Python package marquee-client: its types, and its provider,
# display and operator with real servers that are killed and restarted, over TCP, TLS with tokens, and Unix sockets;
# then the programs and commands of its article.
# Installs missing Debian packages first, and the package in .build/python. Succeeds with a message if its dependencies
# cannot be installed. Ends with "N passed, N failed".
# Usage: Tests/Scripts/python-client.sh
set -uo pipefail
cd "$(dirname "$0")/../.."
Tests/Scripts/build-debug.sh marqueed marquee || exit
article=Sources/MarqueeDaemon/MarqueeDaemon.docc/PythonClient.md
tests=$PWD/Tests/Scripts/python-client
requirements=(grpcio==1.85.1 grpcio-tools==1.85.1 mypy-protobuf==5.1.0 hatchling==1.33.0 build==1.6.1 mypy==2.4.1
  types-grpcio==1.85.0.20261028 types-protobuf==7.35.1.20260906)
export PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1

if [ "$(cat .build/python/requirements 2>/dev/null)" != "${requirements[*]}" ]; then
  rm -rf .build/python
  if ! python3 -m venv .build/python || ! .build/python/bin/pip install --only-binary=:all: "${requirements[@]}"; then
    rm -rf .build/python
    echo "Skipped: the dependencies of marquee-client cannot be installed." >&2
    exit 0
  fi
  echo "${requirements[*]}" >.build/python/requirements
fi
PATH=$PWD/.build/python/bin:$PATH

work=$(mktemp -d /tmp/marquee-python-XXXXXX)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cp .build/debug/marqueed .build/debug/marquee "$work/bin"
unset MARQUEE_SERVER MARQUEE_TOKEN_FILE MARQUEE_TLS_ROOTS MARQUEE_TLS_CERTIFICATE_CHAIN MARQUEE_TLS_PRIVATE_KEY
passed=0 failed=0
check() { # NAME COMMAND
  if "${@:2}" >"$work/output" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $1"
    cat "$work/output"
  fi
}

# The package from a copy of the repository, by the article's command; then as a source distribution, and as a wheel
# made from that.
mkdir -p "$work/repository/Sources"
cp -r Sources/PythonClient "$work/repository/Sources"
cp -r Protos "$work/repository"
pip uninstall -y marquee-client 2>/dev/null
install=$(grep '^pip install' $article) || { echo "'pip install' is missing from the article" >&2; exit 1; }
# For pip, 0 means without isolation.
(cd "$work/repository" && PIP_NO_BUILD_ISOLATION=0 PIP_NO_DEPS=1 eval "$install") || exit
check "distributions" python -m build --no-isolation --outdir "$work/distributions" \
  "$work/repository/Sources/PythonClient"
check "contents of the wheel" python "$tests/compare_wheel.py" "$work/distributions"

# The types of the package, the examples and the tests, and the article's copies of the examples.
examples=$PWD/Sources/PythonClient/examples
(cd "$work" && check "types of the package" mypy --strict --package marquee_client --cache-dir "$work/mypy"
  check "types of the examples" mypy --strict --scripts-are-modules --cache-dir "$work/mypy" "$examples"/*.py
  check "types of the tests" mypy --strict --cache-dir "$work/mypy" "$tests"/*.py
  echo "$passed $failed" >"$work/counts")
read -r passed failed <"$work/counts"
check "the article's programs" python "$tests/compare_article.py" $article "$examples"

tls=$work/tls
mkdir "$tls"
credentials=$tls
. Tests/Scripts/credentials.sh
create_credentials localhost operator provider display
access_policy >"$tls/access.yaml"

repository=$PWD
totals=$(cd "$work" && PATH=$work/bin:$PATH MARQUEE_TEST_DIRECTORY=$work python "$tests/run.py" "$repository/$article")
echo "$totals"
[[ $(tail -n 1 <<<"$totals") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || { echo "the tests did not end"; exit 1; }
echo "$((passed + BASH_REMATCH[1])) passed, $((failed + BASH_REMATCH[2])) failed"
[ $((failed + BASH_REMATCH[2])) = 0 ]
