import ArgumentParser
import Foundation
import MarqueeClient
import MarqueeSimulator
import MarqueeTransport

extension CompletionKind {
  /// How long a shell waits for names from the server.
  private static var completionTimeMax: Duration { .milliseconds(500) }

  /// Names of devices that the standard server has.
  static var deviceNames: CompletionKind {
    names(.devices) { directory in directory.devices.map(\.device.text) }
  }

  /// Names of stacks that the standard server has.
  static var stackNames: CompletionKind {
    names(.stacks) { directory in
      directory.devices.flatMap { device in device.stacks.map { "\(device.device)/\($0)" } }
    }
  }

  /// Names of widgets that the standard server has.
  static var widgetNames: CompletionKind {
    names(.widgets) { directory in
      directory.devices.flatMap { device in device.widgets.map { "\(device.device):\($0.exactText)" } }
    }
  }

  /// Names of apps whose widget kinds the standard server has.
  static var appNames: CompletionKind {
    names(.widgets) { directory in Set(directory.devices.flatMap { $0.kinds.map(\.kind.app.text) }).sorted() }
  }

  private static func names(
    _ scope: NameDirectory.Scope, _ list: @escaping @Sendable (NameDirectory) -> [String]
  ) -> CompletionKind {
    .custom { (_: [String], _: Int, _: String) async -> [String] in
      // A shell that completes has no place for errors: without a server there is nothing to offer.
      let credentials = ClientCredentials(environment: ProcessInfo.processInfo.environment)
      guard let endpoint = try? Endpoint.standard(), let configuration = try? credentials.configuration(for: endpoint)
      else { return [] }
      let client = OperatorClient(RPCClient(endpoint, configuration: configuration), callTimeMax: completionTimeMax)
      guard let directory = try? await NameDirectory.fetchAll(scope, client) else { return [] }
      return list(directory)
    }
  }
}
