/// The reservation of unsent bytes from an account, in whole blocks: a connection whose peer keeps up never uses the
/// account.
package struct BlockReservation {
  /// The granularity of reservations, in bytes.
  package static let blockSize = 16_384

  /// The account; `nil` without a limit.
  package var account: (any ByteAccount)?
  private var reservedSize = 0

  /// Creates a reservation of no bytes.
  package init(_ account: (any ByteAccount)? = nil) {
    self.account = account
  }

  /// Reserves the blocks of a number of unsent bytes that has increased.
  ///
  /// - Returns: The status of the exceeded limit, or `nil` on success.
  package mutating func grow(to size: Int) -> RPCStatus? {
    let due = Self.blocks(size) - reservedSize
    guard due > 0, let account else { return nil }
    do throws(RPCStatus) { try account.reserve(due) } catch { return error }
    reservedSize += due
    return nil
  }

  /// Releases the blocks that a number of unsent bytes that has decreased does not need.
  package mutating func shrink(to size: Int) {
    let due = reservedSize - Self.blocks(size)
    guard due > 0 else { return }
    reservedSize -= due
    account?.release(due)
  }

  /// The size, rounded down to whole blocks.
  private static func blocks(_ size: Int) -> Int { size / blockSize * blockSize }
}
