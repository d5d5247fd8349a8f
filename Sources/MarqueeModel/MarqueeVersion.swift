/// The version of Marquee, shared by all of its programs.
public enum MarqueeVersion {
  /// The version of this source code, according to Semantic Versioning.
  public static let current = "0.1.0"
}
