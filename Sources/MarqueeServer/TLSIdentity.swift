import MarqueeFiles
import NIOSSL

/// The certificate, private key and trusted client roots of the TLS endpoints.
struct TLSIdentity {
  let certificateChain: [NIOSSLCertificate]
  let privateKey: NIOSSLPrivateKey
  /// The certificate authorities of clients; empty to request no client certificates.
  let clientRoots: [NIOSSLCertificate]
  let versionMin: MarqueeConfiguration.TLSFiles.Version

  /// The server's TLS configuration. A client certificate is optional, but an untrusted one fails the handshake.
  var configuration: TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificateChain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion =
      switch versionMin {
      case .tls12: .tlsv12
      case .tls13: .tlsv13
      }
    // Bounds the time that an unresponsive peer keeps its file descriptor open.
    configuration.shutdownTimeout = .seconds(1)
    if !clientRoots.isEmpty {
      configuration.trustRoots = .certificates(clientRoots)
      configuration.certificateVerification = .optionalVerification
    }
    return configuration
  }
}

extension MarqueeConfiguration.TLSFiles {
  /// The maximum size of a PEM file in bytes.
  private static let sizeMax = 1_048_576

  private static func bytes(of path: String) throws(FileError) -> [UInt8] {
    [UInt8](try CheckedFile.bytes(of: path, sizeMax: sizeMax))
  }

  /// Reads and parses the files.
  func read() throws(ConfigurationError) -> TLSIdentity {
    do {
      return TLSIdentity(
        certificateChain: try NIOSSLCertificate.fromPEMBytes(Self.bytes(of: certificateChain)),
        privateKey: try NIOSSLPrivateKey(bytes: Self.bytes(of: privateKey), format: .pem),
        clientRoots: try clientRoots.map { try NIOSSLCertificate.fromPEMBytes(Self.bytes(of: $0)) } ?? [],
        versionMin: versionMin)
    } catch let error as FileError {
      throw ConfigurationError("tls", "cannot read the certificate chain, private key or client roots: \(error)")
    } catch {
      throw ConfigurationError("tls", "the certificate chain, private key or client roots are not valid PEM")
    }
  }
}
