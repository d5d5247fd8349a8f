/// The limits of a device's state.
///
/// An event that would exceed a limit is rejected as a whole, with an error that names the limit.
public struct Limits: Hashable, Sendable {
  /// The maximum number of entries of a timeline.
  public var entryCountMax = 4_096
  /// The maximum content size of an entry, in bytes.
  public var contentSizeMax = 65_536
  /// The maximum total content size of a timeline, in bytes.
  public var timelineSizeMax = 4_194_304
  /// The maximum number of widget kinds that an app can register on a device.
  public var kindCountMax = 64
  /// The maximum number of apps that can register widget kinds on a device.
  public var appCountMax = 512
  /// The maximum number of intent types that an app can register on a device.
  public var intentTypeCountMax = 64
  /// The maximum number of an app's relevant shortcuts, and of its relevant intents, on a device.
  public var shortcutCountMax = 64
  /// The maximum number of an app's upcoming media items on a device, each of at most ``donationSizeMax`` bytes.
  public var upcomingMediaCountMax = 64
  /// The maximum number of widgets on the Home Screen outside stacks.
  public var homeWidgetCountMax = 256
  /// The maximum number of Focus filters on a device, each of at most ``configurationSizeMax`` bytes.
  public var focusFilterCountMax = 256
  /// The maximum number of widgets, and of apps, whose suggestions the user has blocked or snoozed.
  public var blockCountMax = 1_024
  /// The maximum number of donations in an event.
  public var donationBatchCountMax = 1_024
  /// The maximum encoded size of a donation, and of the user activity of a relevant shortcut, in bytes.
  public var donationSizeMax = 16_384
  /// The maximum number of donations stored on a device. The runtime trims the oldest donations before new ones exceed
  /// it.
  public var donationCountMax = 65_536
  /// The maximum number of an app's donations stored on a device, trimmed in the same way.
  public var appDonationCountMax = 32_768
  /// The maximum number of stacks on a device.
  public var stackCountMax = 64
  /// The maximum number of widgets in a stack.
  public var memberCountMax = 64
  /// The maximum encoded size of a widget's configuration, in bytes.
  public var configurationSizeMax = 8_192
  /// The maximum total encoded size of the intents of an app's relevant shortcuts, and of its relevant intents, on a
  /// device, in bytes.
  public var shortcutSizeMax = 524_288
  /// The maximum total encoded size of the intent types that an app can register on a device, in bytes.
  public var intentTypeSizeMax = 262_144
  /// The maximum total encoded size of a device's widget kinds, placed widgets and blocked widgets, in bytes, so that
  /// any list of them fits in one response.
  public var descriptionSizeMax = 1_048_576
  /// The maximum total size of a device's timelines, configurations, donations and other app data, in bytes, so that
  /// its state can be stored.
  public var deviceSizeMax = 134_217_728

  /// The default limits.
  public static let `default` = Limits()

  /// Creates the default limits.
  public init() {}
}
