internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension SurfaceSuggestion.Reason: WireValue {
  init(_ message: Marquee__V1__SuggestionBasis) throws(RequestError) {
    switch message.basis_case {
    case MARQUEE__V1__SUGGESTION_BASIS__BASIS_HABIT: self = .habit(try Field.required(message.habit, "habit"))
    case MARQUEE__V1__SUGGESTION_BASIS__BASIS_FREQUENT:
      let days = message.frequent.pointee
      self = .frequent(doneDayCount: Int(days.done_day_count), dayCount: Int(days.day_count))
    case MARQUEE__V1__SUGGESTION_BASIS__BASIS_UPCOMING:
      let item = message.upcoming.pointee
      self = .upcoming(
        place: Int(item.position), playedCount: Int(item.played_count), playCount: Int(item.play_count))
    case MARQUEE__V1__SUGGESTION_BASIS__BASIS_RESERVATION_START_MS:
      self = .reservation(start: try Field.instant(message.reservation_start_ms, "reservation_start_ms"))
    case MARQUEE__V1__SUGGESTION_BASIS__BASIS_MESSAGES:
      self = try Field.within("messages", Self(message.messages.pointee))
    case MARQUEE__V1__SUGGESTION_BASIS__BASIS_DONATED_MS:
      self = .donated(at: try Field.instant(message.donated_ms, "donated_ms"))
    case MARQUEE__V1__SUGGESTION_BASIS__BASIS_RELEVANCE:
      self = .relevance(try Field.within("relevance", WatchFaceItem.Reason(message.relevance.pointee)))
    default: throw Field.absent("basis")
    }
  }

  private init(_ message: Marquee__V1__PersonMessages) throws(RequestError) {
    self = .messages(
      sentCount: Int(message.sent_count), messageCount: Int(message.message_count),
      receivedCount: Int(message.received_count),
      focus: try Field.identifierIfPresent(message.focus, "focus"))
  }

  func fill(_ message: inout Marquee__V1__SuggestionBasis, _ scratch: EncodeScratch) {
    switch self {
    case .habit(let reasons):
      message.basis_case = MARQUEE__V1__SUGGESTION_BASIS__BASIS_HABIT
      message.habit = scratch.message(reasons)
    case .frequent(let doneDayCount, let dayCount):
      message.basis_case = MARQUEE__V1__SUGGESTION_BASIS__BASIS_FREQUENT
      message.frequent = scratch.build {
        $0.done_day_count = UInt32(clamping: doneDayCount)
        $0.day_count = UInt32(clamping: dayCount)
      }
    case .upcoming(let place, let playedCount, let playCount):
      message.basis_case = MARQUEE__V1__SUGGESTION_BASIS__BASIS_UPCOMING
      message.upcoming = scratch.build {
        $0.position = UInt32(clamping: place)
        $0.played_count = UInt32(clamping: playedCount)
        $0.play_count = UInt32(clamping: playCount)
      }
    case .reservation(let start):
      message.basis_case = MARQUEE__V1__SUGGESTION_BASIS__BASIS_RESERVATION_START_MS
      message.reservation_start_ms = start.milliseconds
    case .messages(let sentCount, let messageCount, let receivedCount, let focus):
      message.basis_case = MARQUEE__V1__SUGGESTION_BASIS__BASIS_MESSAGES
      message.messages = scratch.build {
        $0.sent_count = UInt32(clamping: sentCount)
        $0.message_count = UInt32(clamping: messageCount)
        $0.received_count = UInt32(clamping: receivedCount)
        $0.focus = scratch.text(focus)
      }
    case .donated(let date):
      message.basis_case = MARQUEE__V1__SUGGESTION_BASIS__BASIS_DONATED_MS
      message.donated_ms = date.milliseconds
    case .relevance(let reason):
      message.basis_case = MARQUEE__V1__SUGGESTION_BASIS__BASIS_RELEVANCE
      message.relevance = scratch.build { reason.fill(&$0, scratch) }
    }
  }
}
