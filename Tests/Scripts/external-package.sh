#!/bin/bash
# Build and test a package in Tests/Fixtures that depends on MarqueeKit and MarqueeTestKit. Installs missing Debian
# packages first. Run this last: it rebuilds Marquee's targets in .build, since SwiftPM compiles dependencies with other
# flags than the root package.
set -euo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh
# Neither errors for warnings nor flags of CI concern dependencies.
unset MARQUEE_WARNINGS_AS_ERRORS MARQUEE_OPTIMIZED_TESTS
swift build --build-tests --package-path Tests/Fixtures/outside --scratch-path .build
swift test --skip-build --package-path Tests/Fixtures/outside --scratch-path .build
