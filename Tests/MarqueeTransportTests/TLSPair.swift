import NIOSSL

/// TLS configurations of two ends that trust one self-signed test certificate.
struct TLSPair: Sendable {
  let server: TLSConfiguration
  let client: TLSConfiguration

  init() throws {
    let certificate = try NIOSSLCertificate(bytes: Array(Self.certificatePEM.utf8), format: .pem)
    let key = try NIOSSLPrivateKey(bytes: Array(Self.keyPEM.utf8), format: .pem)
    var server = TLSConfiguration.makeServerConfiguration(
      certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
    server.certificateVerification = .noHostnameVerification
    server.trustRoots = .certificates([certificate])
    var client = TLSConfiguration.makeClientConfiguration()
    client.trustRoots = .certificates([certificate])
    client.certificateChain = [.certificate(certificate)]
    client.privateKey = .privateKey(key)
    self.server = server
    self.client = client
  }

  private static let certificatePEM = """
    -----BEGIN CERTIFICATE-----
    MIIBvDCCAWOgAwIBAgIURfQSJKn2tTtHXLtubpYoVumucx8wCgYIKoZIzj0EAwIw
    FzEVMBMGA1UEAwwMTWFycXVlZSB0ZXN0MCAXDTI2MTEyMTAyMjkzMloYDzIxMjYx
    MDI4MDIyOTMyWjAXMRUwEwYDVQQDDAxNYXJxdWVlIHRlc3QwWTATBgcqhkjOPQIB
    BggqhkjOPQMBBwNCAARcBQJQZ5/ohk9WXg/6W+hLdd0xuSFfgPppKt7JEQqjOJYR
    rxZCJDK7XCSA2e16svtxTOu8MIGUsUQFULrHdMWBo4GKMIGHMB0GA1UdDgQWBBQd
    igZIXV2KpbSgWxfBLnzO0Ha4HDAfBgNVHSMEGDAWgBQdigZIXV2KpbSgWxfBLnzO
    0Ha4HDAPBgNVHRMBAf8EBTADAQH/MDQGA1UdEQQtMCuCCWxvY2FsaG9zdIYec3Bp
    ZmZlOi8vbWFycXVlZS50ZXN0L3Byb3ZpZGVyMAoGCCqGSM49BAMCA0cAMEQCIAT3
    6zubu0KOu06MB/owOnGsSGMUAdCY22w9FUJBPwINAiBpB+obyOcn372P7mUgaQ9i
    Jl+H+fVeuYqDle6nkufhZA==
    -----END CERTIFICATE-----
    """

  private static let keyPEM = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUxrpTBJL3Ri68wd6
    HDJu+Ki+f/LcdVWDRrS2K5batrehRANCAARcBQJQZ5/ohk9WXg/6W+hLdd0xuSFf
    gPppKt7JEQqjOJYRrxZCJDK7XCSA2e16svtxTOu8MIGUsUQFULrHdMWB
    -----END PRIVATE KEY-----
    """
}
