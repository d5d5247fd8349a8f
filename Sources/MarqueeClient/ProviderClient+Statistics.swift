public import MarqueeModel
import MarqueeWire

extension ProviderClient {
  /// Returns how often and for how long the app's widgets were shown on the device, and how the user reacted to them.
  ///
  /// Several calls are made for an app with many widgets; the sums are those of the last one.
  public func statistics() async throws -> AppStatistics {
    var instances: [InstanceStatistics] = []
    while true {
      let request = GetStatisticsRequest(
        device: registration.device, app: registration.app, skipCount: instances.count,
        count: GetStatisticsRequest.countMax)
      let response = try await connection.unary(ProviderService.getStatistics, request, options: callOptions)
      instances += response.instances
      guard response.hasMore, !response.instances.isEmpty else {
        return AppStatistics(app: registration.app, total: response.total, instances: instances)
      }
    }
  }
}
