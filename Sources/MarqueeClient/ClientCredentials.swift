import Foundation
public import MarqueeTransport
import NIOSSL

/// How a client proves who it is, and whom it trusts to be the server: names of files.
public struct ClientCredentials: Hashable, Sendable {
  /// A file with a bearer token, which goes with every call.
  public var tokenFile: String?
  /// A PEM file with the certificates that sign the server's, or `system` for those of the machine; TLS is used then.
  public var tlsRoots: String?
  /// A PEM file with the client's certificate, then those that lead to its root; TLS is used then.
  public var tlsCertificateChain: String?
  /// A PEM file with the key of the client's certificate.
  public var tlsPrivateKey: String?
  /// The name that the server's certificate must carry, if it is not the endpoint's host.
  public var tlsServerName: String?

  /// Nothing: no token and no TLS. On a Unix socket the server knows the client's user all the same.
  public init() {}

  /// What the environment says, in `MARQUEE_TOKEN_FILE`, `MARQUEE_TLS_ROOTS`, `MARQUEE_TLS_CERTIFICATE_CHAIN`,
  /// `MARQUEE_TLS_PRIVATE_KEY` and `MARQUEE_TLS_SERVER_NAME`.
  public init(environment: [String: String]) {
    func value(_ name: String) -> String? { environment["MARQUEE_\(name)"].flatMap { $0.isEmpty ? nil : $0 } }
    tokenFile = value("TOKEN_FILE")
    tlsRoots = value("TLS_ROOTS")
    tlsCertificateChain = value("TLS_CERTIFICATE_CHAIN")
    tlsPrivateKey = value("TLS_PRIVATE_KEY")
    tlsServerName = value("TLS_SERVER_NAME")
  }

  /// How to connect to `endpoint` with them. Reads the files; throws ``CredentialsError``, also rather than let a token
  /// go beyond this machine without TLS.
  public func configuration(for endpoint: Endpoint) throws(CredentialsError) -> ClientConfiguration {
    var configuration = ClientConfiguration()
    if case .tcp = endpoint {
      configuration.tls = try tls()
      configuration.tlsServerName = tlsServerName
      guard tokenFile == nil || configuration.tls != nil || endpoint.isLocal else {
        throw CredentialsError("a token goes beyond this machine with TLS only; say whom to trust (TLS roots)")
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
      throw CredentialsError("a certificate chain and its private key are given together")
    }
    var tls = TLSConfiguration.makeClientConfiguration()
    do {
      if let tlsRoots, tlsRoots != "system" {
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(tlsRoots))
      }
      if let tlsCertificateChain, let tlsPrivateKey {
        tls.certificateChain = try NIOSSLCertificate.fromPEMFile(tlsCertificateChain).map { .certificate($0) }
        tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: tlsPrivateKey, format: .pem))
      }
    } catch {
      throw CredentialsError("the TLS roots, certificate chain or private key cannot be read as PEM")
    }
    return tls
  }
}
