import MarqueeModel
import MarqueeWire

/// The handler of `ListStreams`.
struct StreamHandlers: Sendable {
  let streams: OpenStreams
  /// The name of this server in its cluster; empty without a cluster.
  let node: String

  func add(to router: inout ServiceRouter) {
    router.unaryOnAllNodes(AdminService.listStreams, for: .operator) { request, others in
      list(request, others ?? [])
    }
  }

  private func list(_ request: ListStreamsRequest, _ others: [ListStreamsResponse]) -> ListStreamsResponse {
    let own = streams.summaries(of: request.device, node: node)
    // Those of one instant stay in the order in which they were opened.
    let all = (own + others.flatMap(\.streams)).enumerated().sorted { first, second in
      (first.element.opened, first.offset) < (second.element.opened, second.offset)
    }
    return ListStreamsResponse(
      streams: all.prefix(request.count).map(\.element),
      streamCount: others.reduce(own.count) { $0 + $1.streamCount }, at: Principal.currentInstant)
  }
}
