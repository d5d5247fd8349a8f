#!/bin/bash
# Installs what is missing, and builds and tests a package in Tests/Fixtures that uses MarqueeKit and MarqueeTestKit as
# anybody's would. What it needs of Marquee is built in .build, after everything else there, since SwiftPM builds the
# sources of a dependency with other flags than those of the package itself.
set -euo pipefail
cd "$(dirname "$0")/.."
Deploy/setup.sh
# A dependency's warnings are nobody's errors.
unset MARQUEE_WARNINGS_AS_ERRORS
swift build --build-tests --package-path Tests/Fixtures/outside --scratch-path .build
swift test --skip-build --package-path Tests/Fixtures/outside --scratch-path .build
