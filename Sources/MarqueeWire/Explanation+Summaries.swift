internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

// Summaries are for clients that do not compute their own. Names of widgets are sent as parts of summaries only, so
// that a decoded response has none.

extension Explanation {
  /// Encodes the explanation with a summary, and those of its candidates with names.
  func fill(
    _ message: inout Marquee__V1__Explanation, _ summary: String, _ names: SentenceNames, _ scratch: EncodeScratch
  ) {
    fill(&message, scratch)
    message.summary = scratch.text(summary)
    for (index, candidate) in candidates.enumerated() {
      message.candidates[index]?.pointee.summary = scratch.text(candidate.summary(name: names.name))
    }
  }
}
