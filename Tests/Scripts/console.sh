#!/bin/bash
# Build in debug mode and test the console in Chromium with a real server, whose clock is manual, on a seeded day: the
# numbers of each page against the JSON of marquee, sign-in, the policy for browsers, accessibility (axe), the keyboard,
# hostile names, live changes, problems and the kiosk. Writes screenshots in .build/console-screenshots;
# demo-day.png and demo-kiosk.png are day.png and kiosk.png of the documentation.
# Then plays a day of a kiosk, and some changes: memory, and the widget that is shown.
# With SECONDS, builds in release mode instead, and measures how fast pages are with a thousand devices, and with a
# thousand changes a second for that long: the first paint, long tasks, processor time and memory. Nothing else may run.
# With soak, only plays the day, minute by minute, and 100 000 changes.
# Installs missing Debian packages first, and playwright in .build/console; without it or Chromium, the checks are
# skipped with a message. Ends with "N passed, N failed".
# Usage: Tests/Scripts/console.sh [SECONDS | soak]
set -uo pipefail
cd "$(dirname "$0")/../.."
case ${1:-} in
  "" | soak)
    Tests/Scripts/build-debug.sh marqueed marquee marquee-reminders || exit
    products=.build/debug
    ;;
  *)
    Deploy/setup.sh || exit
    for product in marqueed marquee marquee-reminders; do
      Deploy/build.sh --product $product --scratch-path .build-release || exit
    done
    products=.build-release/release
    ;;
esac
if ! Deploy/setup.sh chromium fonts-noto-color-emoji; then
  echo "Skipped: Chromium cannot be installed." >&2
  echo "0 passed, 0 failed"
  exit 0
fi
version=1.65.2
console=$PWD/Tests/Scripts/console
python=$PWD/.build/console/bin/python
if [ "$($python -c 'import axe_playwright_python, playwright; import importlib.metadata as m; print(m.version("playwright"))' \
  2>/dev/null)" != $version ]; then
  rm -rf .build/console
  python3 -m venv .build/console && .build/console/bin/pip install -q --disable-pip-version-check \
    --only-binary=:all: playwright==$version axe-playwright-python==0.1.8 || rm -rf .build/console
fi
if ! [ -x "$python" ]; then
  echo "Skipped: playwright $version cannot be installed." >&2
  echo "0 passed, 0 failed"
  exit 0
fi

work=$(mktemp -d /tmp/marquee-console-XXXXXX)
trap 'rm -rf "$work"' EXIT
mkdir "$work/programs" "$work/server"
cp $products/{marqueed,marquee,marquee-reminders} "$work/programs"
unset MARQUEE_SERVER MARQUEE_TOKEN_FILE MARQUEE_TLS_ROOTS MARQUEE_TLS_CERTIFICATE_CHAIN MARQUEE_TLS_PRIVATE_KEY

credentials=$work/server
. Tests/Scripts/credentials.sh
create_credentials localhost operator provider viewer display
token viewer issuer.key $(($(date +%s) - 3600)) >"$credentials/expired.token"
access_policy '{token: {iss: "https://id.example.com", role: viewer}, role: viewer}' >"$credentials/access.yaml"

export PYTHONDONTWRITEBYTECODE=1
if [ "${1:-}" = soak ]; then
  $python $console/soak.py "$work/programs" "$work/server" 100000 | tee "$work/console"
elif [ $# = 1 ]; then
  $python $console/speed.py "$work/programs" "$work/server" "$1" | tee "$work/console"
else
  # Each with a server and a browser of its own, at the same time.
  cp -r "$work/server" "$work/kiosk-server"
  cp -r "$work/server" "$work/soak-server"
  $python $console/check.py "$work/programs" "$work/kiosk-server" .build/console-screenshots kiosk >"$work/kiosk" &
  $python $console/check.py "$work/programs" "$work/server" .build/console-screenshots console | tee "$work/console"
  wait
  cat "$work/kiosk"
  $python $console/soak.py "$work/programs" "$work/soak-server" 2000 | tee "$work/soak"
fi
passed=0 failed=0
for part in "$work"/console "$work"/kiosk "$work"/soak; do
  [ -e "$part" ] || continue
  # Without totals, the checks ended early.
  [[ $(tail -n 1 "$part") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || { failed=$((failed + 1)); continue; }
  passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
