import Connection
import Foundation

/// A provider: registers a widget kind, and publishes a timeline whenever the server requests one.
@main
struct Provider {
  static let device = "kitchen"
  static let app = "com.example.weather"

  static func main() async {
    await Connection.open { client in
      let provider = Marquee_V1_Provider.Client(wrapping: client)
      let forecast = Marquee_V1_WidgetDescriptor.with {
        ($0.name, $0.displayName, $0.families) = ("Forecast", "Forecast", [.systemSmall])
      }
      _ = try await provider.registerKinds(.with { ($0.device, $0.app, $0.kinds) = (device, app, [forecast]) })

      let (messages, source) = AsyncStream.makeStream(of: Marquee_V1_ProviderMessage.self)
      source.yield(.with { $0.attach = .with { ($0.device, $0.app) = (device, app) } })
      try await provider.provide { writer in
        for await message in messages { try await writer.write(message) }
      } onResponse: { response in
        var number: UInt64 = 0
        for try await event in response.messages {
          switch event.event {
          case .attached:
            print("attached")
          case .reload(let request):
            number += 1
            source.yield(.with { $0.timeline = timeline(number, of: request.widget) })
          case .accepted(let timeline):
            print("accepted", timeline.publishID)
          case .rejected(let timeline):
            print("rejected", timeline.message)
          default:
            break
          }
        }
      }
    }
  }

  static func timeline(_ number: UInt64, of widget: Marquee_V1_Widget) -> Marquee_V1_TimelinePart {
    .with {
      ($0.publishID, $0.widget, $0.commit, $0.policy.never) = (number, widget, true, true)
      $0.entries = [
        .with {
          $0.dateMs = Int64(Date.now.timeIntervalSince1970 * 1000)
          ($0.relevance.score, $0.relevance.durationMs) = (50, 3_600_000)
          ($0.content.mediaType, $0.content.data) = ("text/plain", Data("Rain until noon".utf8))
        }
      ]
    }
  }
}
