import Glibc

/// Returns freed memory, which the allocator caches, to the system.
public enum FreedMemory {
  /// The minimum size worth a system call.
  private static let sizeMin = 1 << 20

  /// tcmalloc's `MallocExtension_ReleaseToSystem(size_t)`; `nil` in a process that uses another allocator.
  private static let release: (@convention(c) (Int) -> Void)? = {
    guard let symbol = dlsym(nil, "MallocExtension_ReleaseToSystem") else { return nil }
    // The symbol is a C function with this single parameter, whose width is that of `Int`.
    return unsafeBitCast(symbol, to: (@convention(c) (Int) -> Void).self)
  }()

  /// Returns at least `size` free bytes to the system if the size is worthwhile.
  ///
  /// By itself, tcmalloc returns only a small part of the freed memory, so the process would stay at its peak size.
  public static func returnToSystem(_ size: Int) {
    guard size >= sizeMin else { return }
    release?(size)
  }
}
