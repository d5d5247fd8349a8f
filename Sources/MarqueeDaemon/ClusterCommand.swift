import ArgumentParser
import MarqueeJournal
import MarqueeServer
import MarqueeTerminal

/// `marqueed cluster`
struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Create a cluster of servers that share a PostgreSQL database.",
    subcommands: [Init.self])

  @ParentCommand var server: Marqueed

  /// `marqueed cluster init`
  struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "init",
      abstract: "Make a PostgreSQL database that of a cluster.",
      usage: "marqueed cluster init --store postgres:<conninfo> --keys <directory> [--shard-count <count>]",
      discussion: """
        The database is that of a single server, which has ended and keeps its devices, or empty. The first node of a \
        cluster does the same with an empty database. A server without the setting cluster.node is refused afterwards.
        """)

    @ParentCommand var cluster: ClusterCommand

    @Option(help: ArgumentHelp("The number of shards, which cannot be changed (default: 1024).", valueName: "count"))
    var shardCount: Int?

    func validate() throws { try cluster.server.checkOptionsUnused(acceptsStore: true) }

    func run() async throws {
      do throws(JournalError) {
        try await cluster.server.requiredDatabase().createCluster(shardCount: shardCount)
      } catch {
        throw Marqueed.Failure(error.message)
      }
      Terminal.standard.write(["The database is that of a cluster. Start servers with the setting cluster.node."])
    }
  }
}
