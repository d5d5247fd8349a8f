// swift-tools-version: 6.2
import PackageDescription

// Clients with grpc-swift-2. The package depends on Marquee only so that both can share a build folder: without that,
// each build would remove the other's packages. None of Marquee's modules is compiled.
let package = Package(
  name: "marquee-grpc-clients",
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "provider", targets: ["Provider"]),
    .executable(name: "display", targets: ["Display"]),
    .executable(name: "explain", targets: ["Explain"]),
  ],
  dependencies: [
    .package(name: "marquee", path: "../../../.."),
    .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0", traits: []),
    .package(url: "https://github.com/grpc/grpc-swift-2", exact: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", exact: "2.9.2"),
    .package(url: "https://github.com/grpc/grpc-swift-protobuf", exact: "2.4.1"),
  ],
  targets: [
    // With the generated messages and stubs.
    .target(
      name: "Connection",
      dependencies: [
        .product(name: "GRPCCore", package: "grpc-swift-2"),
        .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
        .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ]),
    .executableTarget(name: "Provider", dependencies: ["Connection"]),
    .executableTarget(name: "Display", dependencies: ["Connection"]),
    .executableTarget(name: "Explain", dependencies: ["Connection"]),
  ],
  swiftLanguageModes: [.v6]
)
