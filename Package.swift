// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "marquee",
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "marquee", targets: ["MarqueeCLI"])
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
  ],
  targets: [
    .systemLibrary(name: "CRsvg", pkgConfig: "cairo", providers: [.apt(["librsvg2-dev"])]),
    .target(name: "MarqueeModel"),
    .executableTarget(
      name: "MarqueeCLI",
      dependencies: [
        "CRsvg", "MarqueeModel", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "MarqueeCLITests",
      dependencies: [
        "MarqueeCLI", "MarqueeModel", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
