/// What a device has learned, once anything asked for it: a long history takes a while, and on many devices nothing
/// rests on it.
///
/// It follows from the donations, so whether it was asked for makes no difference between devices.
struct HabitMemo: Equatable, Sendable {
  /// What was learned from all donations; `nil` until it is needed.
  var habits: Habits?

  static func == (_: HabitMemo, _: HabitMemo) -> Bool { true }
}
