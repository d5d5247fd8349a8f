import MarqueeRuntime

extension SerialTaskExecutor {
  /// The executor for work on files, so that event loops do not wait for a disk.
  static let files = SerialTaskExecutor("marquee.files")
}
