import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTerminal
import MarqueeWire

/// `marquee cluster`
struct ClusterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Show the servers of a cluster, drain them, and place shards on them.",
    subcommands: [Status.self, Drain.self, Move.self], defaultSubcommand: Status.self)

  /// `marquee cluster status`
  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Show the servers of the cluster, and how many shards of the devices each has.",
      discussion: """
        Ends with an error if a server does not renew its lease, or a shard has no server. A server that is gone is \
        listed until the others have taken its shards, for some seconds.
        """)

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

  /// `marquee cluster drain`
  struct Drain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "drain", abstract: "Move all shards of a server to the others, for example before it is restarted.",
      discussion: """
        The server goes on, passes calls on, and receives no shards until this is undone or it restarts. Waits until \
        the shards have moved. If they have not moved in time, ends with an error; they are moved later.
        """)

    @Argument(help: "The name of the server.", completion: .nodeNames)
    var node: String

    @Flag(help: "Let the server receive its part of the shards again.")
    var undo = false

    @OptionGroup var limit: WaitOptions
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let outcome = try await session.operators.drain(node: node, undo: undo, timeMax: limit.timeMax)
        session.write(
          json: .object([
            .init("node", .string(node)), .init("draining", .boolean(!undo)),
            .init("shard_count", .integer(Int64(outcome.shardCount))),
            .init("moved_shard_count", .integer(Int64(outcome.movedShardCount))),
            .init("pending_shard_count", .integer(Int64(outcome.pendingShardCount))),
          ]),
          lines: [
            """
            \(undo ? "\(node) receives shards again" : "\(node) is draining"): \(outcome.movedShardCount) shards have \
            moved, and it has \(outcome.shardCount).
            """
          ])
        guard outcome.pendingShardCount == 0 else {
          throw limit.failure("\(outcome.pendingShardCount) shards have not moved")
        }
      }
    }
  }

  /// `marquee cluster move`
  struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "move", abstract: "Place a shard on a server, or withdraw the placement.",
      discussion: """
        The shard stays there while the server renews its lease and is not draining. Waits until the shard has moved. \
        If it has not moved in time, ends with an error; it is moved later.
        """)

    @Argument(
      help: ArgumentHelp(
        "The number of the shard, unless --device is given; and the name of the server, unless --undo is given.",
        valueName: "shard-and-node"), completion: .nodeNamesAfterShard)
    var names: [String] = []

    @Option(
      help: "A device of the shard, instead of its number.", completion: .deviceNames, transform: Arguments.device)
    var device: DeviceID?

    @Flag(help: "Withdraw the placement, so that the shard moves to where it would be without it.")
    var undo = false

    @OptionGroup var limit: WaitOptions
    @OptionGroup var server: ServerOptions

    /// The number of the shard; `nil` if it is named by a device.
    private var shard: Int? { device == nil ? names.first.flatMap { Int($0) } : nil }

    func validate() throws {
      let required = (device == nil ? ["the number of a shard, or --device"] : []) + (undo ? [] : ["a server"])
      guard names.count == required.count else {
        throw ValidationError("expected \(required.isEmpty ? "no names" : required.joined(separator: ", and "))")
      }
      guard device != nil || shard.map({ (0...Int(UInt32.max)).contains($0) }) ?? false else {
        throw ValidationError("\"\(names[0])\" is not the number of a shard")
      }
    }

    /// Fails if there is no such device, since each name has a shard. A node that does not answer within a second is no
    /// reason not to move its shards.
    private static func checkExistence(of device: DeviceID, _ session: Session) async throws {
      do {
        _ = try await DisplayClient(session.connection, callTimeMax: .seconds(1)).time(of: device)
      } catch let status as RPCStatus where status.code == .notFound {
        _ = try await NameDirectory.fetch(device: device.text, .devices, session)
      } catch is RPCStatus {
        return
      }
    }

    func run() async throws {
      try await server.run { session in
        if let device { try await Self.checkExistence(of: device, session) }
        let outcome = try await session.operators.moveShard(
          shard, of: device, to: undo ? nil : names.last, timeMax: limit.timeMax)
        let hasMoved = outcome.node == outcome.targetNode
        func name(_ node: String) -> JSONValue { node.isEmpty ? .null : .string(node) }
        session.write(
          json: .object([
            .init("shard", .integer(Int64(outcome.shard))), .init("previous_node", name(outcome.previousNode)),
            .init("node", name(outcome.node)), .init("target_node", name(outcome.targetNode)),
            .init("moved", .boolean(hasMoved)),
          ]), lines: hasMoved ? [outcome.line] : [])
        guard hasMoved else { throw limit.failure("shard \(outcome.shard) has not moved to \(outcome.targetNode)") }
      }
    }
  }

  /// The time for which a command waits until shards have moved.
  struct WaitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The time to wait until shards have moved, 1 to 60.", valueName: "seconds"))
    var wait = 60

    var timeMax: Duration { .seconds(wait) }

    func validate() throws {
      guard (1...60).contains(wait) else { throw ValidationError("--wait must be 1 to 60 seconds") }
    }

    /// Returns the failure of a command whose time is over.
    func failure(_ condition: String) -> CommandFailure {
      CommandFailure(.unavailable, "\(condition) within \(wait) s", hints: ["See: marquee cluster status"])
    }
  }
}

extension MoveShardResponse {
  /// The outcome in words, if the shard is where it is to be.
  fileprivate var line: String {
    guard node != previousNode else { return "Shard \(shard) stays on \(node)." }
    return "Shard \(shard) has moved\(previousNode.isEmpty ? "" : " from \(previousNode)") to \(node)."
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
              .init(
                "advertised_address",
                node.advertisedAddress.isEmpty ? .null : .string(node.advertisedAddress)),
              .init("live", .boolean(node.isLive)), .init("draining", .boolean(node.isDraining)),
              .init("shard_count", .integer(Int64(node.shardCount))),
            ])
          })),
      .init(
        "placed_shards",
        .array(
          placedShards.map { placed in
            .object([.init("shard", .integer(Int64(placed.shard))), .init("node", .string(placed.node))])
          })),
    ]
  }

  fileprivate var lines: [String] {
    var table = Table(
      .init("NODE"), .init("SHARDS", .right), .init("LEASE"), .init("STATE"), .init("ADDRESS"), .init("ADVERTISED"))
    for node in nodes {
      table.append(
        node.name, "\(node.shardCount)", node.isLive ? "renewed" : "expired", node.isDraining ? "draining" : "serving",
        node.address, node.advertisedAddress)
    }
    let rest = [
      unservedShardCount > 0 ? "\(unservedShardCount) without a server" : nil,
      movingShardCount > 0 ? "\(movingShardCount) to be handed over" : nil,
    ].compactMap(\.self)
    let placed = Dictionary(grouping: placedShards, by: \.node).sorted { $0.key < $1.key }
      .map { "Placed on \($0.key): \($0.value.map { "\($0.shard)" }.joined(separator: ", "))" }
    return table.lines + placed
      + ["\(shardCount) shards\(rest.map { ", \($0)" }.joined()), as seen by \(node)."]
  }
}
