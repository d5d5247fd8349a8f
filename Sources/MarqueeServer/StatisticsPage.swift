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
  init(of all: [AppStatistics], skipping skipCount: Int, count: Int) {
    let instances = all.enumerated().flatMap { app in app.element.instances.map { (app: app.offset, instance: $0) } }
    var (size, lastApp) = (0, -1)
    let rest = instances.dropFirst(skipCount)
    let fitting = rest.prefix(count).prefix { app, instance in
      if app != lastApp { size += all[app].app.text.utf8.count + Self.numbersSize }
      lastApp = app
      size += instance.widget.encoded.count + Self.numbersSize
      return size <= AdminHandlers.pageSizeMax
    }
    let listed = rest.prefix(max(fitting.count, 1))
    hasMore = listed.count < rest.count
    for (app, instance) in listed {
      if apps.last?.app != all[app].app { apps.append(AppStatistics(app: all[app].app, total: all[app].total)) }
      apps[apps.count - 1].instances.append(instance)
    }
  }
}

extension ListStatisticsResponse {
  init(_ request: ListStatisticsRequest, on device: Device) throws(RequestError) {
    if let app = request.app, !device.hasContent(of: app) {
      throw RequestError(.notFound, field: "app", "no app with this name")
    }
    let apps = request.app.map { [$0] } ?? device.appsWithStatistics
    let page = StatisticsPage(
      of: apps.map { device.statistics(of: $0) }, skipping: request.skipCount, count: request.count)
    self.init(at: device.now, timeZone: device.timeZone, apps: page.apps, hasMore: page.hasMore)
  }
}

extension GetStatisticsResponse {
  init(_ request: GetStatisticsRequest, on device: Device) {
    let all = device.statistics(of: request.app)
    let page = StatisticsPage(of: [all], skipping: request.skipCount, count: request.count)
    self.init(
      at: device.now, total: all.total, instances: page.apps.first?.instances ?? [], hasMore: page.hasMore)
  }
}
