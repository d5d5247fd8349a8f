public import Foundation
import MarqueeClient
import MarqueeModel
import Synchronization

/// What goes on around ``AppIntent/perform()`` while a display waits for it.
final class IntentPerformance: Sendable {
  /// That of the intent that the task performs; `nil` while the app performs one by itself.
  @TaskLocal static var current: IntentPerformance?

  private let steps: IntentSteps
  let progress: ObservedProgress

  init(_ steps: IntentSteps) {
    self.steps = steps
    progress = ObservedProgress()
  }

  /// Asks the person, and throws when they do not agree.
  func ask(_ purpose: IntentPrompt.Purpose, _ dialog: IntentDialog?) async throws {
    let prompt = IntentPrompt(purpose, dialog: dialog?.text.key ?? "")
    guard try await steps.ask(prompt) else { throw AppIntentCancelled() }
  }

  /// Performs `work` and tells its progress meanwhile.
  func reporting<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        for await reading in self.progress.readings { try await self.steps.report(reading) }
        return nil
      }
      group.addTask { try await Self.$current.withValue(self, operation: work) }
      while let end = try await group.next() {
        if let result = end { return result }
      }
      throw CancellationError()
    }
  }
}

/// The person did not agree to go on with an intent.
public struct AppIntentCancelled: Error, Hashable, CustomStringConvertible {
  /// The person did not agree.
  public init() {}

  public var description: String { "the person did not agree" }
}

/// Progress whose changes are told. On the platform they are observed by key, which Foundation has not here.
final class ObservedProgress: Progress, @unchecked Sendable {
  // Everything that is added here is safe from any thread; Progress itself locks.
  let readings: AsyncStream<IntentProgress>
  private let continuation: AsyncStream<IntentProgress>.Continuation

  init() {
    (readings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    super.init(parent: nil, userInfo: nil)
  }

  override var completedUnitCount: Int64 { didSet { tell() } }
  override var totalUnitCount: Int64 { didSet { tell() } }

  private func tell() {
    continuation.yield(
      IntentProgress(
        completedUnitCount: max(0, completedUnitCount), totalUnitCount: totalUnitCount,
        description: localizedAdditionalDescription ?? ""))
  }
}

/// An intent that takes long enough to tell how far it is:
///
/// ```swift
/// progress.totalUnitCount = 10
/// for photo in photos { try await send(photo); progress.completedUnitCount += 1 }
/// ```
public protocol ProgressReportingIntent: AppIntent {}

extension ProgressReportingIntent {
  /// How far the intent is, for the display that waits for it. While the app performs it by itself, nobody is told.
  public var progress: Progress { IntentPerformance.current?.progress ?? Progress(totalUnitCount: 0) }
}

/// An intent that can go on in the app, which comes to the foreground for it.
public protocol ForegroundContinuableIntent: AppIntent {}

extension ForegroundContinuableIntent {
  /// Asks that the app comes to the foreground, and returns once it has. While the app performs the intent by itself,
  /// it has already.
  ///
  /// - Throws: ``AppIntentCancelled`` when the person does not want it.
  public func requestToContinueInForeground(_ dialog: IntentDialog? = nil) async throws {
    try await IntentPerformance.current?.ask(.foreground, dialog)
  }

  /// An error to throw where the intent cannot go on but in the app: the person is asked, and when they agree the
  /// intent ends well, with the app in the foreground.
  public func needsToContinueInForegroundError(
    _ dialog: IntentDialog? = nil, continuation: (@Sendable () async throws -> Void)? = nil
  ) -> NeedsToContinueInForeground {
    NeedsToContinueInForeground(dialog: dialog, continuation: continuation)
  }
}

/// An intent cannot go on but in the app.
public struct NeedsToContinueInForeground: Error {
  let dialog: IntentDialog?
  let continuation: (@Sendable () async throws -> Void)?
}

extension AppIntent {
  /// Asks the person to agree to what is about to be done, and returns once they have. While the app performs the
  /// intent by itself, nobody is asked.
  ///
  /// - Throws: ``AppIntentCancelled`` when they do not.
  public func requestConfirmation(dialog: IntentDialog? = nil) async throws {
    try await IntentPerformance.current?.ask(.confirmation, dialog)
  }
}
