import PostgresProcess

/// A fault of a node of a cluster, of its database, or of the network between them.
enum ClusterFault: String, CaseIterable {
  /// `kill -9` of a node.
  case kill
  /// SIGSTOP of a node for longer than its lease.
  case suspend
  /// SIGSTOP of a node for less than its lease.
  case pause
  /// SIGTERM of a node.
  case shutDown
  /// `pg_terminate_backend` of some sessions of all nodes.
  case endSessions
  /// `kill -9` of PostgreSQL, which is started again.
  case crashDatabase
  /// `kill -9` of PostgreSQL, whose standby is promoted.
  case promoteStandby
  /// `pg_cancel_backend` of commits that wait for the standby, which has stopped.
  case cancelCommits
  /// The same, and then `kill -9` of PostgreSQL, whose standby has none of these commits and is promoted.
  case cancelAndPromote
  /// A full disk of PostgreSQL.
  case fillDisk
  /// A connection is stopped before a commit, in most cases together with its node.
  case holdCommit
  /// A connection is stopped between a commit and the end of its round trip, likewise.
  case holdSync
  /// The reply to a commit is held, likewise.
  case holdReply
  /// A connection is lost before a commit.
  case loseCommit
  /// A connection is lost with the reply to a commit.
  case loseReply
  /// The network between nodes and the database is slow.
  case delayDatabase
  /// The network between nodes and the database is cut, in one direction or in both.
  case cutDatabase
  /// The network to nodes is slow for the others.
  case delayNodes
  /// The network to nodes is cut for the others, in one direction or in both.
  case cutNodes
  /// Both networks of a node are cut.
  case isolate

  /// The place in a commit at which the fault stops a connection.
  var commitPoint: Relay.CommitPoint? {
    switch self {
    case .holdCommit, .loseCommit: .beforeCommit
    case .holdSync: .beforeSync
    case .holdReply, .loseReply: .beforeReply
    default: nil
    }
  }
}
