#!/bin/bash
# Build in debug mode, and run gRPC's published interoperability cases against marquee-interop-server, in plain text and
# with TLS: with gRPC's own client for Ruby, of the Debian package ruby-grpc, and with cases.py in Python, which has more
# cases; then the unary ones in the Connect protocol, with curl. Installs missing Debian packages first, and grpcio in
# .build/grpc. A client that cannot be installed is skipped with a message. Ends with "N passed, N failed".
# Usage: Tests/Scripts/grpc-interoperability.sh [CASE...]   (default: all cases; CASE: of cases.py)
set -uo pipefail
cd "$(dirname "$0")/../.."
Tests/Scripts/build-debug.sh marquee-interop-server || exit
version=1.85.1
cases=$PWD/Tests/Scripts/grpc-interoperability
python=$PWD/.build/grpc/bin/python

if [ "$($python -c 'import grpc, grpc_tools; print(grpc.__version__)' 2>/dev/null)" != $version ]; then
  rm -rf .build/grpc
  if ! python3 -m venv .build/grpc || ! .build/grpc/bin/pip install --quiet --disable-pip-version-check \
    --only-binary :all: "grpcio==$version" "grpcio-tools==$version" "grpcio-health-checking==$version"; then
    rm -rf .build/grpc
    echo "Skipped: grpcio $version cannot be installed." >&2
    exit 0
  fi
fi
Deploy/setup.sh ruby-grpc || echo "Skipped: gRPC's client for Ruby cannot be installed." >&2
published=$(dpkg-query --listfiles ruby-grpc 2>/dev/null | grep '/pb/test/client\.rb$')

work=$(mktemp -d /tmp/marquee-interop-XXXXXX)
servers=()
end() {
  # A forked child that is killed before exec runs this trap too.
  [ "$BASHPID" = $$ ] || return
  [ ${#servers[@]} = 0 ] || kill "${servers[@]}" 2>/dev/null
  rm -rf "$work"
}
trap end EXIT
cp .build/debug/marquee-interop-server "$work"
$python -m grpc_tools.protoc -I "$cases" --python_out="$work" --grpc_python_out="$work" testing.proto || exit
export PYTHONPATH=$work PYTHONDONTWRITEBYTECODE=1
passed=0 failed=0

# Prints the failures and totals in a client's output, without its log, and adds the totals, which are the last line.
count() { # OUTPUT
  grep -aE '^FAILED: |^[0-9]+ passed' <<<"$1"
  if [[ $(tail -n 1 <<<"$1") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
  else
    failed=$((failed + 1))
    echo "FAILED: the cases did not end"
    tail -n 20 <<<"$1"
  fi
}

# Runs the clients against a server with OPTIONS; ROOTS is the file of the trusted certificates, or - for plain text.
run() { # ROOTS OPTIONS
  local roots=$1 port
  shift
  "$work/marquee-interop-server" "$@" >"$work/listening" &
  local server=$!
  servers=("$server")
  for _ in $(seq 100); do
    grep -q listening "$work/listening" && break
    sleep 0.1
  done
  port=$(sed -n 's/^listening tcp:127.0.0.1://p' "$work/listening")
  [ -n "$port" ] || { echo "the server does not listen" >&2; exit 1; }
  count "$(timeout 300 $python "$cases/cases.py" "127.0.0.1:$port" "$roots" "${selected[@]}")"
  [ ${#selected[@]} != 0 ] || count "$(timeout 300 $python "$cases/connect.py" "127.0.0.1:$port" "$roots")"
  if [ -n "$published" ]; then
    local tls=(--use_tls false)
    [ "$roots" = - ] || tls=(--use_tls true --use_test_ca false --server_host_override localhost)
    count "$(GRPC_DEFAULT_SSL_ROOTS_FILE_PATH=$roots timeout 300 ruby -W0 "$cases/published.rb" "$published" \
      --server_host 127.0.0.1 --server_port "$port" "${tls[@]}" 2>&1)"
  fi
  # The server exits without an error once its connections have ended.
  kill $server
  if wait $server; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAILED: the server exited with an error"
  fi
  servers=()
}

selected=("$@")
run -
credentials=$work
. Tests/Scripts/credentials.sh
create_credentials localhost
run "$work/authority.pem" --use_tls true --tls-certificate-chain "$work/server.pem" --tls-private-key "$work/server.key"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
