import NIOSSL

/// Two ends of TLS that trust one self-signed certificate, made for these tests and good for nothing else.
struct TLSPair: Sendable {
  let server: TLSConfiguration
  let client: TLSConfiguration
}
