import ArgumentParser
import MarqueeClient
import MarqueeModel

extension ReportInteractionCommand {
  /// `marquee report-interaction resized`
  struct Resized: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report the size at which the display shows the widgets of a family.",
      discussion: "If the size differs from the last reported one, timelines are requested for the family's widgets.")

    @Argument(help: "The family, such as systemSmall.") var family: WidgetFamily
    @Argument(help: "The width in points.") var width: Double
    @Argument(help: "The height in points.") var height: Double

    @Option(help: "The device; required if there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      let size = try Arguments.check { () throws(RequestError) in try WidgetSize(width: width, height: height) }
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
        try await session.report(.widgetSizeChanged(family, size), on: device)
      }
    }
  }
}
