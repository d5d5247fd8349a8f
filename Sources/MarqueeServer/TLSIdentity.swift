import NIOSSL

/// What TLS endpoints show to clients, and whom they trust, as read from files.
struct TLSIdentity {
  let certificateChain: [NIOSSLCertificate]
  let privateKey: NIOSSLPrivateKey
  /// Who signs clients' certificates; empty when clients are not asked for any.
  let clientRoots: [NIOSSLCertificate]

  /// What a server does with it. Clients may come without a certificate, but not with one that is not trusted.
  var configuration: TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificateChain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    if !clientRoots.isEmpty {
      configuration.trustRoots = .certificates(clientRoots)
      configuration.certificateVerification = .optionalVerification
    }
    return configuration
  }
}

extension MarqueeConfiguration.TLSFiles {
  /// Reads the files.
  func read() throws(ConfigurationError) -> TLSIdentity {
    do {
      return TLSIdentity(
        certificateChain: try NIOSSLCertificate.fromPEMFile(certificateChain),
        privateKey: try NIOSSLPrivateKey(file: privateKey, format: .pem),
        clientRoots: try clientRoots.map { try NIOSSLCertificate.fromPEMFile($0) } ?? [])
    } catch {
      throw ConfigurationError("tls", "the certificate chain, private key or client roots cannot be read as PEM")
    }
  }
}
