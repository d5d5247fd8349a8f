public import Foundation
import MarqueeClient
public import MarqueeModel
import Synchronization

/// What sort of media something is.
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

/// Something to play.
public final class INMediaItem: SingleParameterValue {
  /// What it is.
  public let identifier: String?
  /// What to show; never compared.
  public let title: String?
  /// What sort of media it is. The server is not told of it.
  public let type: INMediaItemType

  /// An item.
  public init(identifier: String?, title: String?, type: INMediaItemType, artwork: Never? = nil) {
    self.identifier = identifier
    self.title = title
    self.type = type
  }

  public static var valueType: IntentValueType { .object }

  public func intentValue() throws -> IntentValue {
    guard let identifier = identifier ?? title else {
      throw Refusal(.invalidArgument, field: "identifier", "a media item without identifier and title")
    }
    return .object(DisplayIdentity(identifier: identifier, display: title ?? identifier))
  }

  public static func resolve(_ value: IntentValue) -> INMediaItem? {
    guard case .object(let identity) = value else { return nil }
    return INMediaItem(identifier: identity.identifier, title: identity.display, type: .unknown)
  }
}

/// Playing media (rule D7).
public final class INPlayMediaIntent: INIntent, @unchecked Sendable {
  /// What is played.
  @Parameter public var mediaItems: [INMediaItem]?
  /// The show, artist or album that it belongs to.
  @Parameter public var mediaContainer: INMediaItem?

  /// An intent without values.
  public required init() { super.init() }

  /// An intent to play these.
  public convenience init(mediaItems: [INMediaItem]?, mediaContainer: INMediaItem? = nil) {
    self.init()
    self.mediaItems = mediaItems
    self.mediaContainer = mediaContainer
  }

  public override class var parameterCombinations: [[String]]? {
    [["mediaContainer", "mediaItems"], ["mediaItems"], ["mediaContainer"]]
  }
}

/// Sending a message (rule D8).
public final class INSendMessageIntent: INIntent, @unchecked Sendable {
  /// Whom it goes to.
  @Parameter public var recipients: [INPerson]?
  /// What it says. Not sent to the server.
  public let content: String?

  /// An intent without values.
  public required init() {
    content = nil
    super.init()
  }

  /// An intent to send a message to these.
  public init(recipients: [INPerson]?, content: String? = nil) {
    self.content = content
    super.init()
    self.recipients = recipients
  }
}

/// What is suggested of an app's media.
public enum INUpcomingMediaPredictionMode: Int, Sendable {
  /// Listed items, and what the person is used to play.
  case `default`
  /// Listed items alone.
  case onlyPredictSuggestedIntents
}

/// What the app has for the person to play next (rule D7).
public final class INUpcomingMediaManager: Sendable {
  /// The only one.
  public static let shared = INUpcomingMediaManager()

  private struct State: Sendable {
    var intents: [Intent] = []
    var mode = UpcomingMedia.Mode.predictive
  }

  private let state = Mutex(State())

  private init() {}

  /// Replaces the list, in its turn: ``INPlayMediaIntent``s, the app's first choice first. What goes wrong is not
  /// told, as on the platform; ``updateSuggestedMediaIntents(_:)`` tells it.
  public func setSuggestedMediaIntents(_ intents: NSOrderedSet) {
    AppConnection.perform({ _ in try media(intents.array) }, completion: nil) { try await $1.setUpcomingMedia($2) }
  }

  /// Replaces the list, in its turn: the app's first choice first.
  public func updateSuggestedMediaIntents(_ intents: [INPlayMediaIntent]) async throws {
    try await AppConnection.perform({ _ in try media(intents) }) { try await $1.setUpcomingMedia($2) }
  }

  /// Sets what is suggested, in its turn, of media of all types: the server does not tell them apart.
  public func setPredictionMode(_ mode: INUpcomingMediaPredictionMode, for type: INMediaItemType) {
    state.withLock { $0.mode = mode == .default ? .predictive : .onlySuggested }
    AppConnection.perform({ _ in try media() }, completion: nil) { try await $1.setUpcomingMedia($2) }
  }

  private func media(_ intents: [Any]) throws -> UpcomingMedia {
    let models = try intents.enumerated().map { index, intent in
      guard let intent = intent as? INPlayMediaIntent else {
        throw Refusal(.invalidArgument, field: "intents[\(index)]", "no INPlayMediaIntent")
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
