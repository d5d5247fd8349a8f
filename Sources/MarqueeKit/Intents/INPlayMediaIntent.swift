public import Foundation
import MarqueeClient
public import MarqueeModel
import Synchronization

/// The type of a media item.
public enum INMediaItemType: Int, Sendable {
  case unknown
  case song
  case album
  case artist
  case genre
  case playlist
  case podcastShow
  case podcastEpisode
  case podcastPlaylist
  case musicStation
  case audioBook
  case movie
  case tvShow
  case tvShowEpisode
  case musicVideo
  case podcastStation
  case radioStation
  case station
  case music
  case algorithmicRadioStation
  case news
}

/// A media item.
public final class INMediaItem: SingleParameterValue {
  /// The identifier of the item.
  public let identifier: String?
  /// The title to display. It does not take part in comparison.
  public let title: String?
  /// The media type. It is not sent to the server.
  public let type: INMediaItemType

  /// Creates a media item.
  public init(identifier: String?, title: String?, type: INMediaItemType, artwork: Never? = nil) {
    self.identifier = identifier
    self.title = title
    self.type = type
  }

  public static var valueType: IntentValueType { .object }

  public func intentValue() throws -> IntentValue {
    guard let identifier = identifier ?? title else {
      throw RequestError(.invalidArgument, field: "identifier", "identifier or title is required")
    }
    return .object(DisplayIdentity(identifier: identifier, display: title ?? identifier))
  }

  public static func resolve(_ value: IntentValue) -> INMediaItem? {
    guard case .object(let identity) = value else { return nil }
    return INMediaItem(identifier: identity.identifier, title: identity.display, type: .unknown)
  }
}

/// An intent to play media.
public final class INPlayMediaIntent: INIntent, @unchecked Sendable {
  /// The items to play.
  @Parameter public var mediaItems: [INMediaItem]?
  /// The show, artist or album that contains the items.
  @Parameter public var mediaContainer: INMediaItem?

  /// Creates an intent without parameter values.
  public required init() { super.init() }

  /// Creates an intent to play media items.
  public convenience init(mediaItems: [INMediaItem]?, mediaContainer: INMediaItem? = nil) {
    self.init()
    self.mediaItems = mediaItems
    self.mediaContainer = mediaContainer
  }

  public override class var parameterCombinations: [[String]]? {
    [["mediaContainer", "mediaItems"], ["mediaItems"], ["mediaContainer"]]
  }
}

/// An intent to send a message.
public final class INSendMessageIntent: INIntent, @unchecked Sendable {
  /// The recipients.
  @Parameter public var recipients: [INPerson]?
  /// The sender of a received message.
  @Parameter public var sender: INPerson?
  /// The text of the message. It is not sent to the server.
  public let content: String?

  /// Creates an intent without parameter values.
  public required init() {
    content = nil
    super.init()
  }

  /// Creates an intent to send a message.
  public init(recipients: [INPerson]?, content: String? = nil, sender: INPerson? = nil) {
    self.content = content
    super.init()
    self.recipients = recipients
    self.sender = sender
  }

  public override class var parameterCombinations: [[String]]? { [["recipients"]] }
}

/// The media that the engine suggests for an app.
public enum INUpcomingMediaPredictionMode: Int, Sendable {
  /// Listed items and predictions from the user's donations.
  case `default`
  /// Listed items only.
  case onlyPredictSuggestedIntents
}

/// The media that an app proposes to play next.
public final class INUpcomingMediaManager: Sendable {
  /// The shared manager.
  public static let shared = INUpcomingMediaManager()

  private struct State: Sendable {
    var intents: [Intent] = []
    var mode = UpcomingMedia.Mode.predictive
  }

  private let state = Mutex(State())

  private init() {}

  /// Replaces the list of ``INPlayMediaIntent``s, most important first, in call order.
  ///
  /// Errors are not reported, as in Intents; ``updateSuggestedMediaIntents(_:)`` throws them.
  public func setSuggestedMediaIntents(_ intents: NSOrderedSet) {
    AppConnection.perform({ _ in try media(intents.array) }, completion: nil) { try await $1.setUpcomingMedia($2) }
  }

  /// Replaces the list, most important first, in call order.
  public func updateSuggestedMediaIntents(_ intents: [INPlayMediaIntent]) async throws {
    try await AppConnection.perform({ _ in try media(intents) }) { try await $1.setUpcomingMedia($2) }
  }

  /// Sets the prediction mode, in call order. It applies to all media types: the server does not distinguish them.
  public func setPredictionMode(_ mode: INUpcomingMediaPredictionMode, for type: INMediaItemType) {
    state.withLock { $0.mode = mode == .default ? .predictive : .onlySuggested }
    AppConnection.perform({ _ in try media() }, completion: nil) { try await $1.setUpcomingMedia($2) }
  }

  private func media(_ intents: [Any]) throws -> UpcomingMedia {
    let models = try intents.enumerated().map { index, intent in
      guard let intent = intent as? INPlayMediaIntent else {
        throw RequestError(.invalidArgument, field: "intents[\(index)]", "not an INPlayMediaIntent")
      }
      return try intent.model()
    }
    state.withLock { $0.intents = models }
    return try media()
  }

  private func media() throws -> UpcomingMedia {
    let state = state.withLock(\.self)
    return try UpcomingMedia(intents: state.intents, mode: state.mode)
  }
}
