import ArgumentParser
import Foundation
import Logging
import MarqueeModel
import MarqueeTransport
import NIOSSL
import UnixSignals

/// Serves gRPC's published interoperability cases with Marquee's transport, for
/// `Tests/Scripts/grpc-interoperability.sh` and for the interoperability clients of other implementations, whose
/// options of servers it has.
@main
struct InteropServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "marquee-interop-server", abstract: "Serve grpc.testing.TestService.",
    version: MarqueeVersion.current)

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 lets the system choose.")
  var port = 0
  @Option(name: .customLong("use_tls"), help: "Whether to serve TLS: true or false.")
  var usesTLS = false
  @Option(help: "The file of the certificate chain (PEM).", completion: .file())
  var tlsCertificateChain: String?
  @Option(help: "The file of the private key (PEM).", completion: .file())
  var tlsPrivateKey: String?

  func validate() throws {
    guard !usesTLS || (tlsCertificateChain != nil && tlsPrivateKey != nil) else {
      throw ValidationError("--use_tls true requires --tls-certificate-chain and --tls-private-key")
    }
  }

  func run() async throws {
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    let server = RPCServer(
      router: TestService.router, configuration: ServerConfiguration(), logger: Logger(label: "interop"))
    let bound = try await server.start([.tcp(host: host, port: port)], tls: try tls())[0]
    FileHandle.standardOutput.write(Data("listening \(bound)\n".utf8))
    for await _ in signals { break }
    await server.shutDown(grace: .seconds(5))
  }

  private func tls() throws -> TLSConfiguration? {
    guard usesTLS, let tlsCertificateChain, let tlsPrivateKey else { return nil }
    return .makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(tlsCertificateChain).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: tlsPrivateKey, format: .pem)))
  }
}
