import MarqueeModel
import MarqueeScheduler
import MarqueeWire

/// The part of a list of statistics that fits into one response (rule R17).
struct StatisticsPage {
  /// The size counted for the numbers of an instance or an app.
  private static let numbersSize = 128

  private(set) var apps: [AppStatistics] = []
  private(set) var hasMore = false

  /// Creates a page with up to `count` instances, at least one if there is any after the skipped ones.
  ///
  /// - Parameters:
  ///   - all: The statistics of apps, with all of their instances.
  ///   - skipCount: The number of instances to skip.
  ///   - count: The maximum number of instances.
  ///   - display: Returns the representation of a listed widget.
  init(
    of all: [AppStatistics], skipping skipCount: Int, count: Int, display: (Widget) -> ActionDisplay
  ) {
    let instances = all.enumerated().flatMap { app in app.element.instances.map { (app: app.offset, instance: $0) } }
    let rest = instances.dropFirst(skipCount)
    var (size, listedCount) = (0, 0)
    for (app, instance) in rest.prefix(count) {
      var instance = instance
      let shown = display(instance.widget)
      instance.display = shown
      let isNewApp = apps.last?.app != all[app].app
      if isNewApp { size += all[app].app.text.utf8.count + Self.numbersSize }
      size += instance.widget.encoded.count + shown.size + Self.numbersSize
      guard listedCount == 0 || size <= AdminHandlers.pageSizeMax else { break }
      if isNewApp { apps.append(AppStatistics(app: all[app].app, total: all[app].total)) }
      apps[apps.count - 1].instances.append(instance)
      listedCount += 1
    }
    hasMore = listedCount < rest.count
  }
}

extension ListStatisticsResponse {
  init(_ request: ListStatisticsRequest, on device: Device) throws(RequestError) {
    if let app = request.app, !device.hasContent(of: app) {
      throw RequestError(.notFound, field: "app", "no app with this name")
    }
    let all = request.app.map { [device.statistics(of: $0)] } ?? device.statistics
    let page = StatisticsPage(of: all, skipping: request.skipCount, count: request.count) {
      device.display(of: $0)
    }
    // An app of whose widgets nothing was counted has a total, too.
    let isRequestedAlone = page.apps.isEmpty && request.app != nil
    self.init(
      at: device.now, timeZone: device.timeZone,
      apps: isRequestedAlone ? all.map { AppStatistics(app: $0.app, total: $0.total) } : page.apps,
      hasMore: page.hasMore)
  }
}

extension GetStatisticsResponse {
  init(_ request: GetStatisticsRequest, on device: Device) {
    let all = device.statistics(of: request.app)
    let page = StatisticsPage(of: [all], skipping: request.skipCount, count: request.count) {
      device.display(of: $0)
    }
    self.init(
      at: device.now, total: all.total, instances: page.apps.first?.instances ?? [], hasMore: page.hasMore)
  }
}
