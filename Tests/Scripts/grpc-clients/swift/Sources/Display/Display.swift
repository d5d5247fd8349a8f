import Connection

/// A display: adds a widget to a stack, watches the stack, and reports a tap on the first content that it shows.
@main
struct Display {
  static let device = "kitchen"
  static let stack = "home"

  static func main() async {
    let widget = Marquee_V1_Widget.with { ($0.kind.app, $0.kind.name) = ("com.example.weather", "Forecast") }
    await Connection.open { client in
      let display = Marquee_V1_Display.Client(wrapping: client)
      // The call is cancelled when its response has been handled.
      try await display.watch(.with { $0.device = device }) { response in
        for try await update in response.messages {
          switch update.update {
          case .state(let state):
            print("watching ['\(state.stacks.map(\.id).joined(separator: "', '"))']")
            _ = try await display.report(.with { ($0.device, $0.stackShown) = (device, stack) })
            _ = try await display.editStack(.with { ($0.device, $0.stack, $0.add.widget) = (device, stack, widget) })
          case .entry(let current) where current.hasEntry:
            print("shows", String(decoding: current.entry.content.data, as: UTF8.self))
            _ = try await display.report(
              .with { ($0.device, $0.tapped.stack, $0.tapped.widget) = (device, stack, widget) })
            return
          default:
            break
          }
        }
      }
    }
  }
}
