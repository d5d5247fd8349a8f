// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "cards",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "marquee", path: "../marquee")],
  targets: [
    .target(name: "Cards", dependencies: [.product(name: "MarqueeKit", package: "marquee")]),
    .testTarget(
      name: "CardsTests", dependencies: ["Cards", .product(name: "MarqueeTestKit", package: "marquee")]),
  ],
  swiftLanguageModes: [.v6]
)
