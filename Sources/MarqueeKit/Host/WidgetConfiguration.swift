import Foundation
import MarqueeModel

/// A kind of widgets, with what people read of it.
public protocol WidgetConfiguration {
  /// What a host runs.
  var hostedKind: HostedKind { get }
}

extension Never: WidgetConfiguration {
  public var hostedKind: HostedKind { preconditionFailure("there is no kind") }
}

extension WidgetConfiguration {
  /// What people read in a gallery; the kind's name if not given.
  public func configurationDisplayName(_ name: LocalizedStringResource) -> some WidgetConfiguration {
    changed { $0.displayName = name.key }
  }

  /// What people read in a gallery besides. The server is not told of it.
  public func description(_ text: LocalizedStringResource) -> some WidgetConfiguration { changed { _ in } }

  /// The families that the widgets can have; all if not given.
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

/// A kind whose widgets are not configured.
public struct StaticConfiguration: WidgetConfiguration {
  public let hostedKind: HostedKind

  /// The kind of that name. `content` makes what is shown of each entry.
  public init<Provider: TimelineProvider & Sendable>(
    kind: String, provider: Provider, content: @escaping @Sendable (Provider.Entry) throws -> EntryContent
  ) {
    let gallery = HostedGallery(
      placeholder: { try content(provider.placeholder(in: $0)) },
      snapshot: { _, context in
        try await ProviderAnswer.first("snapshot") { complete in
          provider.getSnapshot(in: context) { entry in complete(Result { try content(entry) }) }
        }
      }, recommendations: { [] })
    hostedKind = HostedKind(
      name: kind, intent: nil, gallery: gallery,
      relevance: { try HostedRelevance(await provider.relevance(), of: kind) }
    ) { _, context in
      try await ProviderAnswer.first("timeline") { complete in
        provider.getTimeline(in: context) { timeline in
          complete(Result { try HostedTimeline(timeline, content: content) })
        }
      }
    }
  }
}

/// A kind whose widgets an `INIntent` configures.
public struct IntentConfiguration: WidgetConfiguration {
  public let hostedKind: HostedKind

  /// The kind of that name. `content` makes what is shown of each entry.
  public init<Provider: IntentTimelineProvider & Sendable>(
    kind: String, intent: Provider.Intent.Type, provider: Provider,
    content: @escaping @Sendable (Provider.Entry) throws -> EntryContent
  ) {
    let gallery = HostedGallery(
      placeholder: { try content(provider.placeholder(in: $0)) },
      snapshot: { configuration, context in
        guard let configuration = try await intent.resolve(configuration) else { throw UnknownConfiguration() }
        return try await ProviderAnswer.first("snapshot") { complete in
          provider.getSnapshot(for: configuration, in: context) { entry in complete(Result { try content(entry) }) }
        }
      },
      recommendations: {
        try provider.recommendations().map { recommendation in
          HostedRecommendation(intent: try recommendation.intent.model(), description: recommendation.description.key)
        }
      })
    hostedKind = HostedKind(
      name: kind, intent: HostedIntent(configuration: intent), gallery: gallery,
      relevance: { try HostedRelevance(await provider.relevance(), of: kind) }
    ) { configuration, context in
      guard let configuration = try await intent.resolve(configuration) else { throw UnknownConfiguration() }
      return try await ProviderAnswer.first("timeline") { complete in
        provider.getTimeline(for: configuration, in: context) { timeline in
          complete(Result { try HostedTimeline(timeline, content: content) })
        }
      }
    }
  }
}

/// A kind whose widgets an `AppIntent` configures.
public struct AppIntentConfiguration: WidgetConfiguration {
  public let hostedKind: HostedKind

  /// The kind of that name. `content` makes what is shown of each entry.
  public init<Provider: AppIntentTimelineProvider & Sendable>(
    kind: String, intent: Provider.Intent.Type = Provider.Intent.self, provider: Provider,
    content: @escaping @Sendable (Provider.Entry) throws -> EntryContent
  ) {
    typealias Form = AppIntentForm<Provider.Intent>
    let gallery = HostedGallery(
      placeholder: { try content(provider.placeholder(in: $0)) },
      snapshot: { configuration, context in
        guard let form = try await Form.resolve(configuration) else { throw UnknownConfiguration() }
        return try await ProviderAnswer.first("snapshot") {
          try content(await provider.snapshot(for: form.intent, in: context))
        }
      },
      recommendations: {
        try provider.recommendations().map { recommendation in
          HostedRecommendation(
            intent: try Form(recommendation.intent).model(), description: recommendation.description.key)
        }
      })
    hostedKind = HostedKind(
      name: kind, intent: HostedIntent(intent), gallery: gallery,
      relevance: { try HostedRelevance(await provider.relevance(), of: kind) }
    ) { configuration, context in
      guard let form = try await Form.resolve(configuration) else { throw UnknownConfiguration() }
      return try await ProviderAnswer.first("timeline") {
        try HostedTimeline(await provider.timeline(for: form.intent, in: context), content: content)
      }
    }
  }
}

/// A widget's configuration is of another type than its kind's, or says what the app does not know any more.
struct UnknownConfiguration: Error, CustomStringConvertible {
  var description: String { "the widget's configuration is none that the app knows" }
}
