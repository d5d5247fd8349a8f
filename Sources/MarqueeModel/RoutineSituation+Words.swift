extension RoutineSituation {
  /// The name for people, such as `headphones connected`.
  public var words: String {
    switch self {
    case .morning: "morning"
    case .evening: "evening"
    case .home: "home"
    case .work: "work"
    case .school: "school"
    case .gym: "gym"
    case .commute: "commute"
    case .headphonesConnected: "headphones connected"
    case .activeWorkout: "active workout"
    case .physicalActivityIncomplete: "physical activity incomplete"
    }
  }

  /// The event with which the situation begins, as a clause: `headphones were connected`.
  var beginning: String {
    switch self {
    case .morning: "the morning began"
    case .evening: "the evening began"
    case .home: "the user came home"
    case .work: "the user came to work"
    case .school: "the user came to school"
    case .gym: "the user came to the gym"
    case .commute: "the commute began"
    case .headphonesConnected: "headphones were connected"
    case .activeWorkout: "a workout began"
    case .physicalActivityIncomplete: "physical activity was reported incomplete"
    }
  }
}
