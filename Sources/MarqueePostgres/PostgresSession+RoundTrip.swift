import Glibc

extension PostgresSession {
  /// Sends statements, and receives all replies.
  ///
  /// - Parameters:
  ///   - calls: The statements, of which the last one is the commit if there is one.
  ///   - isCommit: Whether the last statement commits a transaction.
  /// - Returns: The rows of each statement.
  /// - Throws: ``PostgresError``, whose outcome is unknown if the commit may have been executed.
  func roundTrip(_ calls: [PostgresCall], isCommit: Bool) throws(PostgresError) -> [PostgresRows] {
    do {
      return try receive(try send(calls), callCount: calls.count, isCommit: isCommit)
    } catch {
      // Without a commit, the transaction ends with the session.
      throw isCommit ? error : error.notWritten()
    }
  }

  /// Sends a statement whose reply is received with those of the next round trip.
  func sendAhead(_ call: PostgresCall) throws(PostgresError) {
    awaited = try queue([call])
    _ = flush()
  }

  private func send(_ calls: [PostgresCall]) throws(PostgresError) -> [Step] {
    let steps = try queue(calls)
    // The server may not read before its replies have been read.
    while !flush() {
      wait(POLLIN | POLLOUT)
      consume()
    }
    return steps
  }

  private func receive(
    _ steps: [Step], callCount: Int, isCommit: Bool
  ) throws(PostgresError) -> [PostgresRows] {
    var rows: [PostgresRows] = []
    var failure: PostgresError?
    var noticeCount = noticeCount
    for step in steps {
      let isLast = rows.count == callCount - 1
      switch nextReply(to: step) {
      case .rows(let reply):
        guard case .call = step else { continue }
        rows.append(reply)
        if rows.count == callCount - 1 { noticeCount = noticeCountOfReply }
      case .skipped: continue
      case .failure(let error, let isFatal):
        // A session that ends after the reply to the last statement has executed all of them.
        guard rows.count < callCount else { continue }
        // A commit that fails with an error has not been recorded. If the server's process ends, it may have been.
        failure = failure ?? (isFatal && isLast ? error.unknown() : error)
        if isFatal { throw failure ?? error }
      case .lost:
        if let failure { throw failure }
        guard rows.count == callCount else { throw lost().unknown() }
      }
    }
    if let failure { throw failure }
    if isCommit { try verifyCommit(rows.last, noticeCount: noticeCount) }
    return rows
  }

  /// Verifies that the reply to a commit means that it is durable.
  ///
  /// The server sends a warning if it stopped waiting for a standby.
  private func verifyCommit(_ rows: PostgresRows?, noticeCount: Int) throws(PostgresError) {
    guard rows?.command == "COMMIT" else { throw PostgresError(.failed, "the transaction was rolled back") }
    guard self.noticeCount == noticeCount else {
      throw PostgresError(
        .failed, "a warning during the commit: \(lastNotice?.message ?? "")", outcome: .unknown,
        state: lastNotice?.state)
    }
  }

  /// Receives the replies to steps that were sent ahead.
  ///
  /// - Returns: Whether all of it was executed.
  func receiveAwaited() -> Bool {
    defer { awaited = [] }
    return awaited.allSatisfy { step in
      guard case .rows = nextReply(to: step) else { return false }
      return true
    }
  }

  private func nextReply(to step: Step) -> Reply {
    waitWhileBusy()
    let reply = reply(to: step)
    switch (reply, step) {
    case (.lost, _), (_, .end), (.failure(_, isFatal: true), _): return reply
    default: break
    }
    waitWhileBusy()
    endStep()
    return reply
  }

  private func waitWhileBusy() {
    while isBusy, !isLost {
      wait(POLLIN)
      consume()
    }
  }

  private func wait(_ events: CInt) {
    var descriptor = pollfd(fd: socket, events: CShort(events), revents: 0)
    // After an interrupted call, the caller finds nothing to read and waits again.
    poll(&descriptor, 1, -1)
  }
}
