/// The trace that work belongs to, so that an event and the decisions that it leads to can be told in the log.
public enum Trace {
  /// The trace of the current task, as tools show it; `nil` without one. Events that are submitted here belong to it.
  @TaskLocal public static var current: String?
}
