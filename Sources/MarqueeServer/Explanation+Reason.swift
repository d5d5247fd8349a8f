import MarqueeModel

extension Explanation {
  /// The values of a decision's reason: the selected candidate only, and of its gates only the threshold, with which
  /// the evidence is compared, and the pins.
  var ofReason: Explanation {
    let selected = candidates.filter { $0.widget == chosen }.map { candidate in
      Candidate(
        widget: candidate.widget, position: candidate.position, isInFront: candidate.isInFront,
        evidence: candidate.evidence, signals: candidate.signals, episodeStart: nil,
        gates: candidate.gates.filter { [.threshold, .pinned].contains($0.gate) }, pin: candidate.pin)
    }
    return Explanation(stack: stack, at: at, front: front, candidates: selected, chosen: chosen)
  }
}
