// swift-tools-version: 6.2
import PackageDescription

// The RPC systems that the benchmark of calls compares Marquee with: a separate package, so that no build of Marquee
// fetches them.
let package = Package(
  name: "marquee-peers",
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "grpc-swift-peer", targets: ["GRPCSwiftPeer"]),
    .executable(name: "codec-peer", targets: ["CodecPeer"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0", traits: []),
    .package(url: "https://github.com/grpc/grpc-swift-2", exact: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", exact: "2.9.2"),
    .package(url: "https://github.com/grpc/grpc-swift-protobuf", exact: "2.4.1"),
  ],
  targets: [
    .target(name: "EchoMessages", dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")]),
    .target(name: "Measuring"),
    .executableTarget(
      name: "GRPCSwiftPeer",
      dependencies: [
        "EchoMessages", "Measuring",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRPCCore", package: "grpc-swift-2"),
        .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
        .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ]),
    .executableTarget(
      name: "CodecPeer",
      dependencies: [
        "EchoMessages", "Measuring",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
