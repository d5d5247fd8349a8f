import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeTransport
import MarqueeWire

/// The handler of the method that finds the intents that a spoken text means.
///
/// Phrases are kept in memory while an app's query stream is open, since only a connected app can resolve the values of
/// parameters and perform an intent.
struct PhraseHandlers: Sendable {
  /// The maximum time in which apps resolve parameters, so that a silent app does not delay the matches of others.
  private static let responseTimeMax = Duration.seconds(4)

  let runtime: Runtime
  let hub: ProviderQueryRouter

  func add(to router: inout ServiceRouter) {
    router.unaryWithDeadline(DisplayService.matchPhrase, for: .display) { request, timeLeft in
      try await runtime.requireDevice(request.device)
      let found = try await phrases(matching: SpokenText(request.text), on: request.device, Self.timeMax(timeLeft))
      let matches = RankedPhrase.matches(of: found)
      return MatchPhraseResponse(
        matches: try await runtime.read(request.device) { device in
          matches.map { match in
            var match = match
            match.display = device.display(of: match.invocation.intent, of: match.app)
            return match
          }
        })
    }
  }

  /// Returns the time limit of apps, which leaves time for the response to reach the display before its deadline.
  private static func timeMax(_ timeLeft: Duration?) -> Duration {
    timeLeft.map { min($0 * 3 / 4, responseTimeMax) } ?? responseTimeMax
  }

  /// Returns the phrases of all apps on a device that a text means. Apps are queried concurrently; those that have not
  /// responded within the time limit are left out.
  private func phrases(
    matching text: SpokenText, on device: DeviceID, _ timeMax: Duration
  ) async throws -> [RankedPhrase] {
    let found = await withTaskGroup(of: [RankedPhrase]?.self) { group in
      var (found, pendingCount) = ([RankedPhrase](), 0)
      for stream in hub.latestStreams(on: device) {
        if Task.isCancelled { break }
        for candidate in stream.phrases.candidates(for: text) {
          if candidate.optionsParameter == nil {
            if let match = candidate.match() { found.append(match) }
          } else {
            pendingCount += 1
            group.addTask { await Self.matches(of: candidate, from: stream, timeMax) }
          }
        }
      }
      if pendingCount > 0 {
        group.addTask {
          // Sleeping throws only when the task is cancelled.
          try? await Task.sleep(for: timeMax)
          return nil
        }
      }
      while pendingCount > 0, let phrases = await group.next() ?? nil {
        found += phrases
        pendingCount -= 1
      }
      group.cancelAll()
      return found
    }
    try Task.checkCancellation()
    return found
  }

  /// Returns a phrase with each option that its parameter's text means: among the options that the app finds for the
  /// text, or else among those that it suggests.
  private static func matches(
    of candidate: PhraseCandidate, from stream: QueryStream, _ timeMax: Duration
  ) async -> [RankedPhrase] {
    guard let parameter = candidate.optionsParameter else { return [] }
    let end = ContinuousClock.now + timeMax
    do {
      for selection in [OptionsQuery.Selection.matching(candidate.spoken), .suggested] {
        let timeLeft = end - ContinuousClock.now
        guard timeLeft > .zero, !Task.isCancelled else { return [] }
        let query = try OptionsQuery(
          intent: candidate.intent, parameter: parameter, selection, count: OptionsQuery.countMax)
        let open = try stream.open(.options(query), timeLeft: timeLeft)
        defer { open.close() }
        guard case .options(let options) = try await open.response() else { return [] }
        let matches = candidate.matches(among: options.options) { !Task.isCancelled }
        // A response without selection contains all options.
        if !matches.isEmpty || !options.isSelected { return matches }
      }
    } catch {
      // An app that is busy, disconnects or reports an error has no matches, and does not affect those of others.
    }
    return []
  }
}
