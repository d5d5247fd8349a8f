import Foundation
import MarqueeModel

/// The description of a widget kind: its provider, content, name and families.
public protocol WidgetConfiguration {
  /// The kind that a host provides.
  var hostedKind: HostedKind { get }
}

extension Never: WidgetConfiguration {
  public var hostedKind: HostedKind { preconditionFailure("Never has no kind") }
}

extension WidgetConfiguration {
  /// Sets the name shown in the gallery. Defaults to the kind's name.
  public func configurationDisplayName(_ name: LocalizedStringResource) -> some WidgetConfiguration {
    changed { $0.displayName = name }
  }

  /// Sets the description shown in the gallery. The server receives at most its first 1024 bytes.
  public func description(_ text: LocalizedStringResource) -> some WidgetConfiguration {
    changed { $0.descriptionText = text }
  }

  /// Sets the supported families. Defaults to all.
  public func supportedFamilies(_ families: [WidgetFamily]) -> some WidgetConfiguration {
    changed { $0.families = families }
  }

  private func changed(_ change: (inout HostedKind) -> Void) -> ChangedConfiguration {
    var kind = hostedKind
    change(&kind)
    return ChangedConfiguration(hostedKind: kind)
  }
}

private struct ChangedConfiguration: WidgetConfiguration {
  let hostedKind: HostedKind
}

/// A kind without configuration.
public struct StaticConfiguration: WidgetConfiguration {
  public let hostedKind: HostedKind

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - kind: The kind's name, unique in the app.
  ///   - provider: The timeline provider.
  ///   - content: Returns the content of an entry.
  public init<Provider: TimelineProvider & Sendable>(
    kind: String, provider: Provider, content: @escaping @Sendable (Provider.Entry) throws -> EntryContent
  ) {
    let gallery = HostedGallery(
      placeholder: { try content(provider.placeholder(in: $0)) },
      snapshot: { _, context in
        try await ProviderTimeout.result("snapshot") { complete in
          provider.getSnapshot(in: context) { entry in complete(Result { try content(entry) }) }
        }
      }, recommendations: { [] })
    hostedKind = HostedKind(
      name: kind, intent: nil, gallery: gallery,
      relevance: { try HostedRelevance(await provider.relevance(), of: kind) }
    ) { _, context in
      try await ProviderTimeout.result("timeline") { complete in
        provider.getTimeline(in: context) { timeline in
          complete(Result { try HostedTimeline(timeline, content: content) })
        }
      }
    }
  }
}

/// A kind configured by an `INIntent`.
public struct IntentConfiguration: WidgetConfiguration {
  public let hostedKind: HostedKind

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - kind: The kind's name, unique in the app.
  ///   - provider: The timeline provider.
  ///   - content: Returns the content of an entry.
  public init<Provider: IntentTimelineProvider & Sendable>(
    kind: String, intent: Provider.Intent.Type, provider: Provider,
    content: @escaping @Sendable (Provider.Entry) throws -> EntryContent
  ) {
    let gallery = HostedGallery(
      placeholder: { try content(provider.placeholder(in: $0)) },
      snapshot: { configuration, context in
        guard let configuration = try await intent.resolve(configuration) else { throw UnknownConfiguration() }
        return try await ProviderTimeout.result("snapshot") { complete in
          provider.getSnapshot(for: configuration, in: context) { entry in complete(Result { try content(entry) }) }
        }
      },
      recommendations: {
        try provider.recommendations().map { recommendation in
          HostedRecommendation(intent: try recommendation.intent.model(), description: recommendation.description.text)
        }
      })
    hostedKind = HostedKind(
      name: kind, intent: HostedIntent(configuration: intent), gallery: gallery,
      relevance: { try HostedRelevance(await provider.relevance(), of: kind) }
    ) { configuration, context in
      guard let configuration = try await intent.resolve(configuration) else { throw UnknownConfiguration() }
      return try await ProviderTimeout.result("timeline") { complete in
        provider.getTimeline(for: configuration, in: context) { timeline in
          complete(Result { try HostedTimeline(timeline, content: content) })
        }
      }
    }
  }
}

/// A kind configured by a ``WidgetConfigurationIntent``.
public struct AppIntentConfiguration: WidgetConfiguration {
  public let hostedKind: HostedKind

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - kind: The kind's name, unique in the app.
  ///   - provider: The timeline provider.
  ///   - content: Returns the content of an entry.
  public init<Provider: AppIntentTimelineProvider & Sendable>(
    kind: String, intent: Provider.Intent.Type = Provider.Intent.self, provider: Provider,
    content: @escaping @Sendable (Provider.Entry) throws -> EntryContent
  ) {
    typealias Form = AppIntentForm<Provider.Intent>
    let gallery = HostedGallery(
      placeholder: { try content(provider.placeholder(in: $0)) },
      snapshot: { configuration, context in
        guard let form = try await Form.resolve(configuration) else { throw UnknownConfiguration() }
        return try await ProviderTimeout.result("snapshot") {
          try content(await provider.snapshot(for: form.intent, in: context))
        }
      },
      recommendations: {
        try provider.recommendations().map { recommendation in
          HostedRecommendation(
            intent: try Form(recommendation.intent).model(), description: recommendation.description.text)
        }
      })
    hostedKind = HostedKind(
      name: kind, intent: HostedIntent(intent), gallery: gallery,
      relevance: { try HostedRelevance(await provider.relevance(), of: kind) }
    ) { configuration, context in
      guard let form = try await Form.resolve(configuration) else { throw UnknownConfiguration() }
      return try await ProviderTimeout.result("timeline") {
        try HostedTimeline(await provider.timeline(for: form.intent, in: context), content: content)
      }
    }
  }
}

/// The widget's configuration has the wrong type, or refers to an entity that no longer exists. The host reports it as
/// ``WidgetConfigurationError``.
struct UnknownConfiguration: Error, CustomStringConvertible {
  var description: String { "unknown widget configuration" }
}
