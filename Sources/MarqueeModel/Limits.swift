/// How much of everything one device may hold. Passing a limit is refused, naming it, and nothing is half-applied.
public struct Limits: Hashable, Sendable {
  /// Entries in one timeline.
  public var entryCountMax = 4_096
  /// Bytes of content in one entry.
  public var contentSizeMax = 65_536
  /// Bytes of content in one timeline.
  public var timelineSizeMax = 4_194_304
  /// Timelines that one app may keep on one device.
  public var timelineCountMax = 64
  /// Widget kinds that one app may register on one device.
  public var kindCountMax = 64
  /// Apps that may register widget kinds on one device.
  public var appCountMax = 512
  /// Intent types that one app may register on one device.
  public var intentTypeCountMax = 64
  /// Relevant shortcuts, and as many relevant intents, that one app may have set on one device.
  public var shortcutCountMax = 64
  /// Items of upcoming media that one app may list on one device, each of ``donationSizeMax`` bytes at most.
  public var upcomingMediaCountMax = 64
  /// Widgets on the Home Screen outside stacks.
  public var homeWidgetCountMax = 256
  /// Widgets, and as many apps, that the person does not want suggested.
  public var blockCountMax = 1_024
  /// Donations in one event.
  public var donationBatchCountMax = 1_024
  /// Bytes of one donation, as it is stored.
  public var donationSizeMax = 16_384
  /// Donations that are remembered on one device. The runtime has the oldest ones forgotten before new ones pass it.
  public var donationCountMax = 65_536
  /// Donations of one app that are remembered on one device, in the same way.
  public var appDonationCountMax = 32_768
  /// Stacks on one device.
  public var stackCountMax = 64
  /// Widgets in one stack.
  public var memberCountMax = 64

  /// The defaults.
  public static let standard = Limits()

  /// Limits with the defaults; change what differs.
  public init() {}
}
