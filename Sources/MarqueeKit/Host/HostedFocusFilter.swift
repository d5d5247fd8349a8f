import Logging
import MarqueeModel

/// An intent type of Focus filters that a host performs.
struct HostedFocusFilter: Sendable {
  /// Performs a filter with the values of a state, or else with the default values.
  let perform: @Sendable (FocusFilterState, Logger) async throws -> Void

  /// Creates the hosted form of a type; `nil` if it is not of Focus filters.
  init?<Performed: AppIntent>(_ type: Performed.Type) {
    guard let filter = type as? any SetFocusFilterIntent.Type else { return nil }
    self.init(filter: filter)
  }

  private init<Filter: SetFocusFilterIntent>(filter: Filter.Type) {
    perform = { state, logger in
      let filter = try await AppIntentForm<Filter>.filter(with: state.intent, logger)
      let type = ObjectIdentifier(Filter.self)
      let previous = CurrentFocusFilters.shared[type]
      // The filter can read its own state while it is performed.
      CurrentFocusFilters.shared[type] = filter
      do {
        _ = try await filter.perform()
      } catch {
        CurrentFocusFilters.shared[type] = previous
        throw error
      }
      logger.info(
        "performed a Focus filter",
        metadata: [
          "type": "\(state.intentType)", "focus": "\(quoted(state.focus?.text ?? "none"))",
          "filter": "\(quoted(filter.displayRepresentation.title.text))",
        ])
    }
  }
}

extension AppIntentForm {
  /// Returns the intent with the values that can be resolved. The other parameters keep their defaults, so that the
  /// previous filter never stays in force because of one value.
  fileprivate static func filter(with values: MarqueeModel.Intent?, _ logger: Logger) async throws -> Intent {
    let form = self.init()
    let declared = form.declaredParameters
    for value in values?.parameters ?? [] {
      let parameter = declared.first { $0.name == value.name.text }?.parameter
      let problem: String?
      do {
        problem = try await parameter?.replace(with: value.value) ?? false ? nil : "not one of the parameter's values"
      } catch is CancellationError where Task.isCancelled {
        throw CancellationError()
      } catch {
        problem = quoted(error)
      }
      guard let problem else { continue }
      logger.warning(
        "a value of a Focus filter cannot be resolved; its parameter has the default",
        metadata: ["type": "\(typeName)", "parameter": "\(value.name)", "error": "\(problem)"])
    }
    return form.intent
  }
}
