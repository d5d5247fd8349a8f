/// The actions of which a forecast is computed: the relevant ones that can reach a minimum probability.
struct Selection {
  /// The number of rows of a workspace that a selection uses.
  static let rowCount = 1
  /// The number of inputs of a ``Confidence/View`` per action.
  private static let inputCount = 8
  /// The number of lanes of a workspace that a selection uses, besides rows.
  static let laneCount = 2 * inputCount + 1

  /// The minimum probability, which is positive.
  let least: Double
  /// 1 for relevant actions, 0 for others.
  let mask: ActionRow
  /// The inputs of the actions of one chunk, each input in a chunk of its own, and 1 for those that are reachable.
  private let source: ActionRow
  /// The inputs of up to eight actions from different chunks.
  private let inputs: ActionRow

  init(atLeast least: Double, in workspace: inout Workspace) {
    self.least = least
    mask = workspace.row()
    let lanes = workspace.numbers(Self.laneCount, of: Lanes.self)
    guard let start = lanes.baseAddress else { preconditionFailure("the workspace is empty") }
    source = ActionRow(start, chunkCount: Self.inputCount + 1)
    inputs = ActionRow(start + Self.inputCount + 1, chunkCount: Self.inputCount)
  }

  /// Sets the chunk that ``gather(_:to:)`` reads, and its reachable actions.
  @inline(__always) func open(_ view: Confidence.View, _ reachable: Lanes) {
    source[chunk: 0] = view.shares
    source[chunk: 1] = view.dayTotals
    source[chunk: 2] = view.dayDone
    source[chunk: 3] = view.sharpness
    source[chunk: 4] = view.eventSharpness
    source[chunk: 5] = view.counts
    source[chunk: 6] = view.discount
    source[chunk: 7] = view.eventShares
    source[chunk: 8] = reachable
  }

  /// Whether an action of the open chunk is reachable.
  @inline(__always) func isReachable(_ lane: Int) -> Bool { source[8 &* Self.inputCount &+ lane] > 0 }

  /// Stores the inputs of an action of the open chunk at a place below 8.
  @inline(__always) func gather(_ lane: Int, to place: Int) {
    for input in 0..<Self.inputCount { inputs[8 &* input &+ place] = source[8 &* input &+ lane] }
  }

  /// Returns the inputs of the first `count` places, of which there is at least one. Others repeat the first.
  @inline(__always) func gathered(_ count: Int, of view: Predictor.View) -> Confidence.View {
    for input in 0..<Self.inputCount {
      for place in count..<8 { inputs[8 &* input &+ place] = inputs[8 &* input] }
    }
    return Confidence.View(
      shares: inputs[chunk: 0], dayTotals: inputs[chunk: 1], dayDone: inputs[chunk: 2], sharpness: inputs[chunk: 3],
      eventSharpness: inputs[chunk: 4], counts: inputs[chunk: 5], discount: inputs[chunk: 6],
      eventShares: inputs[chunk: 7], doneMean: view.doneMean, activity: view.activity)
  }
}
