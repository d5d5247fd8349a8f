#!/bin/bash
# Install the oracle of the calendar expansion tests into .build/ical-oracle; without it, these tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."
oracle=.build/ical-oracle
[ -x $oracle/bin/python3 ] && $oracle/bin/python3 -c 'import recurring_ical_events' 2>/dev/null && exit 0
mkdir -p .build
if python3 -m venv $oracle >/dev/null 2>&1 &&
  $oracle/bin/pip install --quiet --disable-pip-version-check --only-binary :all: recurring-ical-events==3.8.2 icalendar==7.3.0; then
  # The wheels include their own tests, whose calendars must not be used here.
  rm -rf $oracle/lib/python3*/site-packages/{recurring_ical_events/test,icalendar/tests}
  exit 0
fi
rm -rf $oracle
echo "Cannot install the iCalendar oracle; the tests that require it are skipped." >&2
