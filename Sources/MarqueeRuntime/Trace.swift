/// The trace of the current task, by which the server's log correlates events and decisions with calls.
public enum Trace {
  /// The trace ID of the current task, in hexadecimal, or `nil`. Submitted events belong to this trace.
  @TaskLocal public static var current: String?
}
