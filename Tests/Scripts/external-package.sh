#!/bin/bash
# Build and test a package in Tests/Fixtures that depends on MarqueeKit and MarqueeTestKit, with the manifest of
# MarqueeKit's article, which names this checkout instead of ../marquee. Installs missing Debian packages first. Run this
# last: it rebuilds Marquee's targets in .build, since SwiftPM compiles dependencies with other flags than the root
# package.
set -euo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh
# Neither errors for warnings nor flags of CI concern dependencies.
unset MARQUEE_WARNINGS_AS_ERRORS MARQUEE_OPTIMIZED_TESTS
article=Sources/MarqueeKit/MarqueeKit.docc/MarqueeKit.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r Tests/Fixtures/outside/{Sources,Tests} "$work"
# The block of Swift that begins with the tools version.
sed -n '/^\/\/ swift-tools-version/,/^```$/{/^```$/!p}' "$article" >"$work/Package.swift"
diff "$work/Package.swift" Tests/Fixtures/outside/Package.swift
sed -i "s|path: \"../marquee\"|path: \"$PWD\"|" "$work/Package.swift"
grep -q "path: \"$PWD\"" "$work/Package.swift"
swift build --build-tests --package-path "$work" --scratch-path .build
swift test --skip-build --package-path "$work" --scratch-path .build
