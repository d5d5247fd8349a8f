/// The sequence of the batches of a lane, as its only writer knows it. The row of the lane is their fence.
///
/// The row has the number of the last batch. The first statement of each batch raises it by one, and fails if the row
/// is gone. After a commit without a reply, the row tells whether the batch was written.
struct BatchSequence {
  private let node: Int64
  private let lane: Int64
  /// The number of the last batch.
  private var batch: Int64 = 0

  /// Creates the sequence of a row that was inserted with batch 0.
  init(node: Int64, lane: Int64 = 0) {
    self.lane = lane
    self.node = node
  }

  /// The first statement of the next batch.
  var advance: PostgresCall {
    PostgresCall(
      prepared: "advance_lane", "SELECT advance_lane($1, $2, $3)",
      [.integer(node), .integer(lane), .integer(batch + 1)])
  }

  /// Records that the batch was committed.
  mutating func confirm() { batch += 1 }

  /// Determines whether a batch was committed, and makes the answer final: the row moves on, so that a copy of the
  /// batch that is still on its way is refused.
  ///
  /// The row moves on by two from where it is, so that a resolution that is repeated finds the same answer.
  ///
  /// - Throws: ``PostgresError`` `fenced` if the row is gone. Other errors leave the question open.
  mutating func resolve(_ connection: isolated PostgresConnection) throws(PostgresError) -> Bool {
    let rows = try connection.write([
      // The transaction whose outcome is unknown may still have the row's lock.
      PostgresCall("SET LOCAL lock_timeout = '2s'"),
      PostgresCall(
        """
        UPDATE lane SET batch = batch + CASE WHEN batch <= $3 + 1 THEN 2 ELSE 0 END
        WHERE node = $1 AND lane = $2 RETURNING batch
        """,
        [.integer(node), .integer(lane), .integer(batch)]),
    ])[1]
    guard rows.count == 1 else { throw PostgresError(.fenced, "another server has taken the devices over") }
    let reached = try rows.integer(0, 0)
    guard [batch + 2, batch + 3].contains(reached) else {
      throw PostgresError(.fenced, "the database lacks batches that were confirmed")
    }
    let isWritten = reached == batch + 3
    batch = reached
    return isWritten
  }
}
