// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "marquee",
  platforms: [.macOS(.v26)],
  products: [],
  dependencies: [],
  targets: [
    .systemLibrary(name: "CLibical", pkgConfig: "libical", providers: [.apt(["libical-dev"])]),
    .target(name: "MarqueeModel"),
    .target(name: "MarqueeFeeds", dependencies: ["MarqueeModel", "CLibical"]),
    .testTarget(name: "MarqueeFeedsTests", dependencies: ["MarqueeFeeds", "MarqueeModel"]),
    .testTarget(name: "SoundnessTests"),
  ],
  swiftLanguageModes: [.v6]
)
