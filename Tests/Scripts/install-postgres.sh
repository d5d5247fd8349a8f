#!/bin/bash
# Install PostgreSQL for the tests, which start servers of their own; without it, these tests are skipped, and fail in CI.
set -euo pipefail
cd "$(dirname "$0")/../.."
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null && exit 0
# Debian's package would create a cluster, and start it now and at each boot.
run=()
[ "$(id -u)" = 0 ] || run=(sudo)
settings=/etc/postgresql-common/createcluster.d
if ! { "${run[@]}" mkdir -p $settings && echo 'create_main_cluster = false' | "${run[@]}" tee $settings/marquee.conf >/dev/null &&
  Deploy/setup.sh postgresql; }; then
  echo "Cannot install PostgreSQL; the tests that require it are skipped." >&2
fi
