import ArgumentParser
import MarqueeTerminal
import MarqueeWire

/// `marquee cluster`
struct ClusterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Show the servers of a cluster.", subcommands: [Status.self],
    defaultSubcommand: Status.self)

  /// `marquee cluster status`
  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Show the servers of the cluster, and how many shards of the devices each has.",
      discussion: "Ends with an error if a server does not renew its lease, or a shard has no server.")

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let cluster = try await session.operators.cluster()
        session.write(json: .object(cluster.fields), lines: cluster.lines)
        guard cluster.unservedShardCount == 0, cluster.nodes.allSatisfy(\.isLive) else {
          throw CommandFailure(.unavailable, "not all servers of the cluster renew their leases")
        }
      }
    }
  }
}

extension GetClusterResponse {
  fileprivate var fields: [JSONValue.Field] {
    [
      .init("node", .string(node)), .init("shard_count", .integer(Int64(shardCount))),
      .init("unserved_shard_count", .integer(Int64(unservedShardCount))),
      .init("moving_shard_count", .integer(Int64(movingShardCount))),
      .init(
        "nodes",
        .array(
          nodes.map { node in
            .object([
              .init("name", .string(node.name)), .init("address", node.address.isEmpty ? .null : .string(node.address)),
              .init("live", .boolean(node.isLive)), .init("shard_count", .integer(Int64(node.shardCount))),
            ])
          })),
    ]
  }

  fileprivate var lines: [String] {
    var table = Table(.init("NODE"), .init("SHARDS", .right), .init("LEASE"), .init("ADDRESS"))
    for node in nodes {
      table.append(node.name, "\(node.shardCount)", node.isLive ? "renewed" : "expired", node.address)
    }
    let rest = [
      unservedShardCount > 0 ? "\(unservedShardCount) without a server" : nil,
      movingShardCount > 0 ? "\(movingShardCount) to be handed over" : nil,
    ].compactMap(\.self)
    return table.lines
      + ["\(shardCount) shards\(rest.map { ", \($0)" }.joined()), as seen by \(node)."]
  }
}
