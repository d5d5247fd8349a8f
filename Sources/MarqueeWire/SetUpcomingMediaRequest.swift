internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// All that an app has for the person to play next on a device (rule D7).
public struct SetUpcomingMediaRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// The whole list.
  public var media: UpcomingMedia

  /// A request.
  public init(device: DeviceID, app: AppID, media: UpcomingMedia) {
    self.device = device
    self.app = app
    self.media = media
  }
}

/// The list is durable and in force.
public struct SetUpcomingMediaResponse: Hashable, Sendable {
  /// The response.
  public init() {}
}

extension SetUpcomingMediaRequest: WireValue {
  init(_ message: Marquee__V1__SetUpcomingMediaRequest) throws(Refusal) {
    guard let mode = UInt8(exactly: message.mode.rawValue).flatMap(UpcomingMedia.Mode.init) else {
      throw Refusal(.invalidArgument, field: "mode", "\(message.mode.rawValue) is no mode of upcoming media")
    }
    self.init(
      device: try Field.identifier(message.device, "device"), app: try Field.identifier(message.app, "app"),
      media: try UpcomingMedia(intents: Field.array(message.n_intents, message.intents, "intents"), mode: mode))
  }

  func fill(_ message: inout Marquee__V1__SetUpcomingMediaRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    (message.n_intents, message.intents) = scratch.array(media.intents)
    message.mode = Marquee__V1__UpcomingMediaMode(rawValue: UInt32(media.mode.rawValue))
  }
}

extension SetUpcomingMediaResponse: WireValue {
  init(_ message: Marquee__V1__SetUpcomingMediaResponse) {}

  func fill(_ message: inout Marquee__V1__SetUpcomingMediaResponse, _ scratch: EncodeScratch) {}
}
