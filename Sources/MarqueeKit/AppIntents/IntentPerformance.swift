public import Foundation
import MarqueeClient
import MarqueeModel
import Synchronization

/// The context of an ``AppIntent/perform()`` call made by a display.
final class IntentPerformance: Sendable {
  /// The performance of the current task; `nil` if the app performs the intent itself.
  @TaskLocal static var current: IntentPerformance?

  private let steps: IntentSteps
  let progress: ObservedProgress

  init(_ steps: IntentSteps) {
    self.steps = steps
    progress = ObservedProgress()
  }

  /// Prompts the user.
  ///
  /// - Throws: ``AppIntentCancelled`` if the user declines.
  func ask(_ purpose: IntentPrompt.Purpose, _ dialog: IntentDialog?) async throws {
    let prompt = IntentPrompt(purpose, dialog: dialog?.text.text ?? "")
    guard try await steps.ask(prompt) else { throw AppIntentCancelled() }
  }

  /// Performs `work` and reports its progress meanwhile.
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

/// The user declined to continue an intent.
public struct AppIntentCancelled: Error, Hashable, CustomStringConvertible {
  /// Creates the error.
  public init() {}

  public var description: String { "the user declined" }
}

/// A progress that publishes its changes, in place of key-value observation, which is not available here.
final class ObservedProgress: Progress, @unchecked Sendable {
  // Safe: the added properties are thread-safe, and `Progress` locks internally.
  let readings: AsyncStream<IntentProgress>
  private let continuation: AsyncStream<IntentProgress>.Continuation

  init() {
    (readings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    super.init(parent: nil, userInfo: nil)
  }

  override var completedUnitCount: Int64 { didSet { report() } }
  override var totalUnitCount: Int64 { didSet { report() } }

  private func report() {
    continuation.yield(
      IntentProgress(
        completedUnitCount: max(0, completedUnitCount), totalUnitCount: totalUnitCount,
        description: localizedAdditionalDescription ?? ""))
  }
}

/// An intent that reports progress:
///
/// ```swift
/// progress.totalUnitCount = 10
/// for photo in photos { try await send(photo); progress.completedUnitCount += 1 }
/// ```
public protocol ProgressReportingIntent: AppIntent {}

extension ProgressReportingIntent {
  /// The progress of the intent, reported to the display that invoked it. It is not reported if the app performs the
  /// intent itself.
  public var progress: Progress { IntentPerformance.current?.progress ?? Progress(totalUnitCount: 0) }
}

/// An intent that can continue in the app, in the foreground.
public protocol ForegroundContinuableIntent: AppIntent {}

extension ForegroundContinuableIntent {
  /// Requests that the app comes to the foreground, and returns once it has. Returns immediately if the app performs
  /// the intent itself.
  ///
  /// - Throws: ``AppIntentCancelled`` if the user declines.
  public func requestToContinueInForeground(_ dialog: IntentDialog? = nil) async throws {
    try await IntentPerformance.current?.ask(.foreground, dialog)
  }

  /// Requests that the app comes to the foreground, performs `continuation` there, and returns its result.
  ///
  /// - Parameters:
  ///   - dialog: The text to show to the user.
  ///   - alwaysConfirm: Has no effect: the user is asked unless the app is in the foreground already.
  ///   - continuation: The rest of the intent.
  /// - Throws: ``AppIntentCancelled`` if the user declines; otherwise the error of `continuation`.
  public func requestToContinueInForeground<Value: Sendable>(
    _ dialog: IntentDialog? = nil, alwaysConfirm: Bool = true,
    continuation: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await requestToContinueInForeground(dialog)
    return try await continuation()
  }

  /// Returns an error to throw if the intent can only continue in the app.
  ///
  /// The user is prompted; if they agree, the intent succeeds with the app in the foreground.
  public func needsToContinueInForegroundError(
    _ dialog: IntentDialog? = nil, continuation: (@Sendable () async throws -> Void)? = nil
  ) -> NeedsToContinueInForeground {
    NeedsToContinueInForeground(dialog: dialog, continuation: continuation)
  }
}

/// An error that indicates that an intent can only continue in the app.
public struct NeedsToContinueInForeground: Error {
  let dialog: IntentDialog?
  let continuation: (@Sendable () async throws -> Void)?
}

extension AppIntent {
  /// Asks the user to confirm, and returns once they have. Returns immediately if the app performs the intent itself.
  ///
  /// - Throws: ``AppIntentCancelled`` if the user declines.
  public func requestConfirmation(dialog: IntentDialog? = nil) async throws {
    try await IntentPerformance.current?.ask(.confirmation, dialog)
  }
}
