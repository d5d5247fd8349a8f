import MarqueeRPC
import Testing

@Suite("Trace parents")
struct TraceParentTests {
  @Test("W3C's examples are parsed, including a later version with additional fields")
  func read() throws {
    for text in [
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-the-future-will-be-like",
    ] {
      let parent = try #require(TraceParent(text))
      #expect(parent.traceText == "0af7651916cd43dd8448eb211c80319c")
      #expect(parent.span == 0xb7ad_6b71_6920_3331 && parent.flags == 1)
    }
    let small = try #require(TraceParent("00-00000000000000000000000000000001-0000000000000001-00"))
    #expect(small.traceText == "00000000000000000000000000000001")
  }

  @Test(
    "Invalid values are rejected",
    arguments: [
      "", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
      "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
      "00-00000000000000000000000000000000-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
      "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
      "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319-b7ad6b71692033311-01",
    ])
  func refused(text: String) { #expect(TraceParent(text) == nil) }
}
