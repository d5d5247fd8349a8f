import MarqueePredictor

/// The figures of all tasks in one table, with intervals.
public struct EvaluationReport: Sendable, Equatable {
  /// A bound that a figure is to keep.
  public enum Aim: Sendable, Equatable { case atMost(Double), atLeast(Double) }

  /// One figure.
  public struct Row: Sendable, Equatable {
    public let task: String
    public let figure: String
    /// The number of predictions, half hours or uses over which the figure was measured.
    public let count: Int
    /// The figure, or `nil` if nothing was measured.
    public let value: Double?
    /// The range that contains the figure with a probability of 95 %, or `nil` if there is only one person or day.
    public let interval: ClosedRange<Double>?
    public let aim: Aim?

    /// Whether the figure keeps its aim, or `nil` without an aim or a value.
    public var isKept: Bool? {
      guard let value else { return nil }
      return switch aim {
      case .atMost(let limit): value <= limit
      case .atLeast(let limit): value >= limit
      case nil: nil
      }
    }
  }

  public private(set) var rows: [Row] = []

  /// Creates the report of tasks that were evaluated on the same log.
  public init(
    next: NextActionTask, clock: HalfHourTask, recent: HalfHourTask, sharp: SharpHabitTask, early: EarlyTask,
    triggers: TriggerTask, replay: ReplayTask
  ) {
    add(next)
    add(clock, task: "half hour, time alone")
    add(recent, task: "half hour, preceding actions")
    add(sharp)
    add(early)
    add(triggers)
    add(replay)
  }

  /// The figures of one task.
  private struct Section<Sums: Additive> {
    private let total: Sums
    private let samples: [Sums]

    init(_ sums: ResampledSums<Sums>) { (total, samples) = (sums.total, sums.samples) }

    func row(
      _ task: String, _ figure: String, aim: Aim? = nil, count: (Sums) -> Int, value: (Sums) -> Double?
    ) -> Row {
      Row(
        task: task, figure: figure, count: count(total), value: value(total),
        interval: ResampledSums.interval(samples, value), aim: aim)
    }
  }

  private mutating func add(_ task: NextActionTask) {
    let (section, name) = (Section(task.sums), "next action")
    rows.append(section.row(name, "HR@1", count: \.count) { $0.hitRate1 })
    rows.append(section.row(name, "HR@3", count: \.count) { $0.hitRate3 })
    rows.append(section.row(name, "MRR", count: \.count) { $0.meanReciprocalRank })
  }

  private mutating func add(_ task: HalfHourTask, task name: String) {
    let section = Section(task.sums)
    rows.append(section.row(name, "P@1", count: { $0.activeCount() }, value: { $0.precision1() }))
    for offset in 0..<SlotSums.offsetCount {
      let figure = "P@1, \(offset * HalfHourTask.slotSeconds / 60) min past full and half hours"
      rows.append(
        section.row(name, figure, count: { $0.activeCount(offset) }, value: { $0.precision1(offset) }))
    }
    rows.append(section.row(name, "P@3", count: { $0.activeCount() }, value: { $0.precision3() }))
    rows.append(
      section.row(
        name, "ECE", aim: .atMost(HalfHourTask.calibrationErrorMax), count: { $0.claimCount() },
        value: { $0.calibrationError() }))
  }

  private mutating func add(_ task: SharpHabitTask) {
    for (index, occurrences) in SharpHabitTask.occurrenceCounts.enumerated() {
      let (name, section) = ("sharp habit, \(occurrences) times", Section(task.sums[index]))
      let aim = SharpHabitTask.errorMax[index].map(Aim.atMost)
      rows.append(
        section.row(name, "mean error, all offsets", aim: aim, count: { $0.count() }, value: { $0.error() }))
      for (label, offsets) in SharpHabitTask.offsetRanges {
        rows.append(
          section.row(
            name, "mean error, \(label)", count: { $0.count(offsets) }, value: { $0.error(offsets) }))
      }
    }
  }

  private mutating func add(_ task: EarlyTask) {
    let name = "early calibration"
    for (index, limit) in EarlyTask.limits.enumerated() {
      let (section, aim) = (Section(task.earlySums[index]), Aim.atMost(EarlyTask.errorMax[index]))
      rows.append(section.row(name, "ECE, first \(limit) actions", aim: aim, count: \.count) { $0.error })
    }
    for (index, sums) in task.experiencedSums.enumerated() {
      let figure = "ECE, \(EarlyTask.experienceLabel(index)) occurrences"
      rows.append(Section(sums).row(name, figure, count: \.count) { $0.error })
    }
  }

  private mutating func add(_ task: TriggerTask) {
    for (index, row) in task.rows.enumerated() {
      let (name, with, without) = (
        "trigger: \(row.trigger.rawValue)", Section(task.withSums[index]), Section(task.withoutSums[index])
      )
      rows.append(
        with.row(name, "mean claim at the event", aim: .atLeast(TriggerTask.withMin), count: \.count) { $0.mean })
      rows.append(
        without.row(name, "mean claim without it", aim: .atMost(TriggerTask.withoutMax), count: \.count) { $0.mean })
    }
  }

  private mutating func add(_ task: ReplayTask) {
    let section = Section(task.sums)
    for method in ReplayTask.methods {
      let name = "replay, \(method.rawValue)"
      rows.append(section.row(name, "share at use", count: \.memberUseCount) { $0.hitRate(method) })
      rows.append(section.row(name, "changes a day", count: \.activeDayCount) { $0.changesPerDay(method) })
    }
  }
}
