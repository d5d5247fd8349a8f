// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "marquee",
  platforms: [.macOS(.v26)],
  products: [],
  dependencies: [],
  targets: [
    .systemLibrary(
      name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
    .target(name: "CMarqueeProtos", dependencies: ["CProtobufC"]),
    .target(name: "MarqueeModel"),
  ],
  swiftLanguageModes: [.v6]
)
