import MarqueeRPC

/// Returns the status that `body` throws; `nil` if it returns.
package func callStatus(_ body: () async throws -> Void) async throws -> RPCStatus? {
  do {
    try await body()
    return nil
  } catch let status as RPCStatus {
    return status
  }
}
