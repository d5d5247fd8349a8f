import ArgumentParser
import MarqueeScheduler

/// The kernels measured in instructions, since times on shared machines vary.
enum Kernel: String, CaseIterable, ExpressibleByArgument {
  /// A unary echo of 128 bytes through client and server, in memory.
  case call
  /// A unary echo of 128 bytes in gRPC through the server, in memory.
  case grpc
  /// A unary echo of 128 bytes in JSON over HTTP/1.1 through the server, in memory.
  case json
  /// A timeline of 24 entries decoded, checked and converted to the model, and back.
  case timeline
  /// A prediction of the next action over 100 actions, after 5 000 donations.
  case prediction
  /// The learning of a donation, with 100 actions.
  case donation
  /// A day of a device with 3 stacks of 8 widgets: 200 events and all wakes.
  case day
  /// The encoding and decoding of a device.
  case snapshot

  /// Performs the work `count` times, after the set-up.
  func run(count: Int) throws {
    switch self {
    case .call: try CallKernel().run(count: count)
    case .grpc: try GRPCKernel().run(count: count)
    case .json: try JSONKernel().run(count: count)
    case .timeline: try TimelineKernel().run(count: count)
    case .prediction:
      let person = BusyPerson(count: 5_000, actions: 100)
      let (predictor, moment) = (person.predictor, person.tomorrow)
      for _ in 0..<count { keep(predictor.next(at: moment).sum) }
    case .donation:
      keep(BusyPerson(count: count, actions: 100).predictor.actionCount)
    case .day:
      var life = try BusyLife(pastDayCount: 20)
      for _ in 0..<count { try life.liveDay() }
    case .snapshot:
      var life = try BusyLife(pastDayCount: 20)
      try life.liveDay()
      for _ in 0..<count { keep(try Device(decoding: life.device.encoded).id) }
    }
  }
}

/// Runs a kernel repeatedly, under a tool that counts instructions.
struct KernelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kernel", abstract: "Run one kernel, for callgrind.", shouldDisplay: false)

  @Argument var kernel: Kernel
  @Argument var count: Int

  func run() throws {
    try kernel.run(count: count)
  }
}
