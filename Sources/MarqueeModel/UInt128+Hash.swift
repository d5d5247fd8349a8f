extension UInt128 {
  /// Creates the 128-bit FNV-1a hash (Fowler, Noll and Vo) of the bytes. Stable across platforms, and not
  /// cryptographic.
  package init(hashing bytes: some Sequence<UInt8>) {
    self = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    for byte in bytes { self = (self ^ UInt128(byte)) &* 0x100_0000_0000_0000_0000_013b }
  }
}
