import CPostgres
import Glibc

/// A connected session of libpq in pipeline mode. It never leaves the thread of its ``PostgresConnection``.
final class PostgresSession {
  /// The answer to a step of a round trip.
  enum Reply {
    case rows(PostgresRows)
    /// An error, which ends the session if it is fatal.
    case failure(PostgresError, isFatal: Bool)
    /// The step was skipped because an earlier one failed.
    case skipped
    /// The connection was lost before the answer.
    case lost
  }

  /// What the server answers to, in order.
  enum Step {
    case preparation(String)
    case call
    case end
  }

  /// The notices of the server. libpq has a pointer to it.
  private final class Notices {
    var count = 0
    var last: PostgresError?
  }

  private let connection: OpaquePointer
  private let notices = Notices()
  /// The steps that were sent ahead, whose replies have not been received.
  var awaited: [Step] = []
  /// Whether replies can no longer be assigned to statements.
  private var isBroken = false
  /// The names of the statements that the session has prepared.
  private var prepared: Set<String> = []

  /// Connects. Blocks, for each host at most the time of `connect_timeout`.
  ///
  /// - Throws: ``PostgresError`` `unavailable`, `accessDenied` or `unsafeServer`.
  init(_ settings: PostgresSettings) throws(PostgresError) {
    let parameters = settings.parameters.sorted { $0.key < $1.key }
    let texts = parameters.map { strdup($0.key) } + [nil] + parameters.map { strdup($0.value) } + [nil]
    defer { for text in texts { free(text) } }
    let pointers = texts.map { UnsafePointer($0) }
    let opened = pointers.withUnsafeBufferPointer { pointers in
      PQconnectdbParams(pointers.baseAddress, pointers.baseAddress.map { $0 + parameters.count + 1 }, 0)
    }
    guard let opened else { throw PostgresError(.unavailable, "connecting failed: out of memory") }
    connection = opened
    guard PQstatus(connection) == CONNECTION_OK else {
      throw Self.refusal(message(of: connection), isFailover: settings.hasSeveralHosts)
    }
    PQsetNoticeReceiver(
      connection,
      { argument, result in
        guard let argument, let result else { return }
        let notices = Unmanaged<Notices>.fromOpaque(argument).takeUnretainedValue()
        notices.count += 1
        notices.last = PostgresSession.error(in: result).error
      }, Unmanaged.passUnretained(notices).toOpaque())
    guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
      throw PostgresError(.unavailable, "the pipeline mode is not available: \(message(of: connection))")
    }
  }

  deinit { PQfinish(connection) }

  /// The file descriptor of the connection.
  var socket: CInt { PQsocket(connection) }
  /// Whether the connection was lost.
  var isLost: Bool { isBroken || PQstatus(connection) != CONNECTION_OK || socket < 0 }
  /// Whether the next reply has not been received entirely.
  var isBusy: Bool { PQisBusy(connection) == 1 }
  /// Whether no transaction is open.
  var isIdle: Bool { PQtransactionStatus(connection) == PQTRANS_IDLE }
  /// The number of notices so far.
  var noticeCount: Int { notices.count }
  /// The number of notices up to the last reply, which libpq receives in order.
  private(set) var noticeCountOfReply = 0
  /// The last notice.
  var lastNotice: PostgresError? { notices.last }

  /// Returns whether the connection is intact, as far as the system knows.
  func isIntact() -> Bool {
    guard receiveAwaited() else { return false }
    while !isLost {
      var descriptor = pollfd(fd: socket, events: CShort(POLLIN), revents: 0)
      guard poll(&descriptor, 1, 0) > 0 else { return true }
      guard PQconsumeInput(connection) == 1 else { return false }
      // Without a round trip, the server sends only notices and the error with which it ends the session.
      _ = isBusy
    }
    return false
  }

  /// Returns the number of notifications of channels that have arrived since the last call.
  func takeNotifications() -> Int {
    var count = 0
    while let notification = PQnotifies(connection) {
      PQfreemem(notification)
      count += 1
    }
    return count
  }

  /// Reads the bytes that have arrived, without waiting. A lost connection ends what ``isBusy`` waits for.
  func consume() { PQconsumeInput(connection) }

  /// Sends queued bytes, without waiting.
  ///
  /// - Returns: Whether everything was sent, or the connection was lost.
  func flush() -> Bool { PQflush(connection) != 1 }

  /// Queues statements and the end of a round trip.
  ///
  /// - Returns: The steps to which the server will reply.
  /// - Throws: ``PostgresError``. The last statement was not sent, unless the outcome is unknown.
  func queue(_ calls: [PostgresCall]) throws(PostgresError) -> [Step] {
    var encoded: [EncodedValues] = []
    for call in calls { encoded.append(try EncodedValues(call.values)) }
    var steps: [Step] = []
    var preparing: Set<String> = []
    for (number, call) in calls.enumerated() {
      if let name = call.name, !prepared.contains(name), preparing.insert(name).inserted {
        let types = call.values.map(\.type)
        guard PQsendPrepare(connection, name, call.text, CInt(types.count), types) == 1 else { throw broken() }
        steps.append(.preparation(name))
      }
      guard queue(call, encoded[number]) else {
        let error = broken()
        throw number == calls.count - 1 ? error.unknown() : error
      }
      steps.append(.call)
    }
    guard PQpipelineSync(connection) == 1 else { throw broken().unknown() }
    return steps + [.end]
  }

  private func queue(_ call: PostgresCall, _ values: EncodedValues) -> Bool {
    let types = call.values.map(\.type)
    let count = CInt(types.count)
    let formats = [CInt](repeating: 1, count: types.count)
    return values.withPointers { pointers in
      call.name.map { PQsendQueryPrepared(connection, $0, count, pointers, values.lengths, formats, 1) }
        ?? PQsendQueryParams(connection, call.text, count, types, pointers, values.lengths, formats, 1)
    } == 1
  }

  /// Returns the reply to a step. Call it in the order of the steps, when the session is not busy.
  func reply(to step: Step) -> Reply {
    guard let result = PQgetResult(connection) else { return .lost }
    noticeCountOfReply = notices.count
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_PIPELINE_SYNC:
      if case .preparation(let name) = step { prepared.insert(name) }
      return .rows(PostgresRows(result))
    case PGRES_PIPELINE_ABORTED:
      PQclear(result)
      return .skipped
    default:
      defer { PQclear(result) }
      let (error, severity) = Self.error(in: result)
      if severity != "ERROR" { isBroken = true }
      // An error without a SQLSTATE is one of libpq.
      return error.state == nil ? .lost : .failure(error, isFatal: severity != "ERROR")
    }
  }

  /// Consumes the end of the results of a step.
  func endStep() {
    // A statement of the extended protocol has one result.
    while let result = PQgetResult(connection) { PQclear(result) }
  }

  /// Returns the error of a connection that cannot be used any more.
  private func broken() -> PostgresError {
    isBroken = true
    return lost()
  }

  /// Returns the error of a lost connection.
  func lost() -> PostgresError {
    let message = message(of: connection)
    return PostgresError(.unavailable, message.isEmpty ? "the connection was lost" : message)
  }

  /// Returns the error or notice of a result, and its severity in English.
  private static func error(in result: OpaquePointer) -> (error: PostgresError, severity: String) {
    func field(_ code: Int) -> String? {
      PQresultErrorField(result, CInt(code)).map { String(cString: $0) }
    }
    let error = PostgresError(
      .failed, field(marquee_diag_message) ?? "the server reported an error",
      state: field(marquee_diag_sqlstate), constraint: field(marquee_diag_constraint),
      detail: field(marquee_diag_detail))
    return (error, field(marquee_diag_severity) ?? "")
  }

  /// Returns the error of a failed connection attempt. libpq has no codes for it.
  ///
  /// - Parameter isFailover: Whether a read-only server may be a standby that is about to be promoted.
  private static func refusal(_ message: String, isFailover: Bool) -> PostgresError {
    let denials = [
      "authentication failed", "does not exist", "pg_hba.conf", "permission denied",
      "certificate",
    ]
    let code: PostgresError.Code =
      if message.contains("session is read-only") || message.contains("hot standby") {
        isFailover ? .unavailable : .unsafeServer
      } else if message.contains("no password supplied")
        || message.contains("FATAL:") && denials.contains(where: message.contains)
      {
        .accessDenied
      } else {
        .unavailable
      }
    return PostgresError(code, message)
  }
}

/// Returns the last error of a connection in one line, without its password.
private func message(of connection: OpaquePointer) -> String {
  let lines = String(cString: PQerrorMessage(connection)).split(separator: "\n")
  let message = lines.map { String($0.drop { $0 == " " || $0 == "\t" }) }.joined(separator: "; ")
  let password = PQpass(connection).map { String(cString: $0) } ?? ""
  return password.isEmpty ? message : message.split(separator: password).joined(separator: "…")
}
