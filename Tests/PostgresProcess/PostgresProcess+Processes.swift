import Foundation

/// The processes of the server.
extension PostgresProcess {
  /// The CPU time of the server's processes that run, in seconds.
  public func processorTime() throws -> Double {
    let id = try firstProcess()
    return ([id] + Self.children(of: id)).reduce(0) { sum, id in
      // A process that has just ended has no file.
      let text = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
      let words = text.split(separator: ") ").last?.split(separator: " ") ?? []
      guard words.count > 12, let user = Double(words[11]), let system = Double(words[12]) else { return sum }
      return sum + (user + system) / Double(sysconf(CInt(_SC_CLK_TCK)))
    }
  }

  /// Returns the process that starts all others.
  private func firstProcess() throws -> pid_t {
    let lines = try String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8).split(separator: "\n")
    guard let id = lines.first.flatMap({ pid_t($0) }) else { throw Failure("there is no process ID") }
    return id
  }

  /// Stops all processes of the server until ``resume()``.
  package func suspend() throws { try signal(SIGSTOP) }

  /// Continues the processes that ``suspend()`` has stopped.
  package func resume() throws { try signal(SIGCONT) }

  /// Sends a signal to all processes. Stopped, the first process starts no others meanwhile.
  private func signal(_ signal: CInt) throws {
    let id = try firstProcess()
    if signal == SIGSTOP { Foundation.kill(id, signal) }
    for child in Self.children(of: id) { Foundation.kill(child, signal) }
    if signal != SIGSTOP { Foundation.kill(id, signal) }
  }

  /// Whether the first process runs.
  package var isRunning: Bool {
    // Without a file, none runs.
    (try? firstProcess()).flatMap(Self.parent) != nil
  }

  /// Kills all processes of the server, and waits until they have ended.
  package func kill() throws {
    let id = try firstProcess()
    // Stopped, the first process starts no others meanwhile.
    Foundation.kill(id, SIGSTOP)
    let all = [id] + Self.children(of: id)
    for id in all { Foundation.kill(id, SIGKILL) }
    // They are not children of this process, so there is nothing to wait for.
    while all.contains(where: { Self.parent(of: $0) != nil }) { usleep(2_000) }
    // The next server would take a process that nobody has reaped yet for the one that holds the locks.
    for file in ["\(data)/postmaster.pid", "\(socket).lock"] {
      try FileManager.default.removeItem(atPath: file)
    }
  }

  /// Returns the parent of a process, unless it has ended.
  private static func parent(of id: pid_t) -> pid_t? {
    // A process that has ended has no file.
    guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
      let words = text.split(separator: ") ").last?.split(separator: " "), words.count > 1,
      let parent = pid_t(words[1]), words[0] != "Z"
    else { return nil }
    return parent
  }

  private static func children(of id: pid_t) -> [pid_t] {
    // Without /proc, there would be no tests with processes.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { parent(of: $0) == id }
  }
}
