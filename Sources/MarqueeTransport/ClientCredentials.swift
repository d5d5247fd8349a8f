import Foundation
import MarqueeFiles
import NIOSSL

/// The files with a client's credentials and trust roots.
public struct ClientCredentials: Hashable, Sendable {
  /// A file with a bearer token, which is sent with every call.
  public var tokenFile: String?
  /// A PEM file with the trusted root certificates, or `system` for those of the machine. Enables TLS.
  public var tlsRoots: String?
  /// A PEM file with the client's certificate, followed by its intermediates. Enables TLS.
  public var tlsCertificateChain: String?
  /// A PEM file with the private key of the client's certificate.
  public var tlsPrivateKey: String?
  /// The name that the server's certificate must carry; `nil` for the endpoint's host.
  public var tlsServerName: String?

  /// Creates empty credentials: no token and no TLS. On a Unix socket, the server still knows the client's user.
  public init() {}

  /// Reads the credentials from `MARQUEE_TOKEN_FILE`, `MARQUEE_TLS_ROOTS`, `MARQUEE_TLS_CERTIFICATE_CHAIN`,
  /// `MARQUEE_TLS_PRIVATE_KEY` and `MARQUEE_TLS_SERVER_NAME`.
  public init(environment: [String: String]) {
    func value(_ name: String) -> String? { environment["MARQUEE_\(name)"].flatMap { $0.isEmpty ? nil : $0 } }
    tokenFile = value("TOKEN_FILE")
    tlsRoots = value("TLS_ROOTS")
    tlsCertificateChain = value("TLS_CERTIFICATE_CHAIN")
    tlsPrivateKey = value("TLS_PRIVATE_KEY")
    tlsServerName = value("TLS_SERVER_NAME")
  }

  /// Reads the files and returns the configuration for connecting to `endpoint`.
  ///
  /// - Throws: ``CredentialsError`` if a file is invalid, or if a token would be sent to another machine without TLS.
  public func configuration(for endpoint: Endpoint) throws(CredentialsError) -> ClientConfiguration {
    var configuration = ClientConfiguration()
    if case .tcp = endpoint {
      configuration.tls = try tls()
      configuration.tlsServerName = tlsServerName
      guard tokenFile == nil || configuration.tls != nil || endpoint.isLocal else {
        throw CredentialsError("sending a token to another machine requires TLS: set the TLS roots (MARQUEE_TLS_ROOTS)")
      }
    }
    if let tokenFile {
      let token = try TokenFile(tokenFile)
      configuration.authorization = { token.authorization }
    }
    return configuration
  }

  private func tls() throws(CredentialsError) -> TLSConfiguration? {
    guard tlsRoots != nil || tlsCertificateChain != nil else { return nil }
    guard (tlsCertificateChain == nil) == (tlsPrivateKey == nil) else {
      throw CredentialsError("a certificate chain and its private key must be set together")
    }
    var tls = TLSConfiguration.makeClientConfiguration()
    if let tlsRoots, tlsRoots != "system" {
      tls.trustRoots = .certificates(
        try Self.parsed(tlsRoots, "TLS roots") { try NIOSSLCertificate.fromPEMBytes($0) })
    }
    if let tlsCertificateChain, let tlsPrivateKey {
      let chain = try Self.parsed(tlsCertificateChain, "certificate chain") { try NIOSSLCertificate.fromPEMBytes($0) }
      let key = try Self.parsed(tlsPrivateKey, "private key") { try NIOSSLPrivateKey(bytes: $0, format: .pem) }
      tls.certificateChain = chain.map { .certificate($0) }
      tls.privateKey = .privateKey(key)
    }
    return tls
  }

  /// The maximum size of a PEM file, in bytes.
  private static let fileSizeMax = 1_048_576

  /// Reads and parses a file.
  ///
  /// - Throws: An error with the name of the file's use.
  private static func parsed<Value>(
    _ path: String, _ name: String, _ parse: ([UInt8]) throws -> Value
  ) throws(CredentialsError) -> Value {
    let bytes: [UInt8]
    do { bytes = [UInt8](try CheckedFile.bytes(of: path, sizeMax: fileSizeMax, acceptsInherited: true)) } catch {
      throw CredentialsError("cannot read the \(name): \(error)")
    }
    do { return try parse(bytes) } catch { throw CredentialsError("the file of the \(name) is not valid PEM") }
  }
}
