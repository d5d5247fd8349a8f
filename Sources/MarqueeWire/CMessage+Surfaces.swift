internal import CMarqueeProtos

// Messages about suggestions on surfaces.

extension Marquee__V1__Reservation: CMessage {
  static var initialise: Initialiser { marquee__v1__reservation__init }
}

extension Marquee__V1__ReservationDetails: CMessage {
  static var initialise: Initialiser { marquee__v1__reservation_details__init }
}

extension Marquee__V1__SetUpcomingMediaRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__set_upcoming_media_request__init }
}

extension Marquee__V1__SetUpcomingMediaResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__set_upcoming_media_response__init }
}

extension Marquee__V1__SuggestionReport: CMessage {
  static var initialise: Initialiser { marquee__v1__suggestion_report__init }
}

extension Marquee__V1__ListSuggestionsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__list_suggestions_request__init }
}

extension Marquee__V1__ListSuggestionsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__list_suggestions_response__init }
}

extension Marquee__V1__ListedSuggestion: CMessage {
  static var initialise: Initialiser { marquee__v1__listed_suggestion__init }
}

extension Marquee__V1__SuggestedActivity: CMessage {
  static var initialise: Initialiser { marquee__v1__suggested_activity__init }
}

extension Marquee__V1__ListPeopleRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__list_people_request__init }
}

extension Marquee__V1__ListPeopleResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__list_people_response__init }
}

extension Marquee__V1__AssociatedPerson: CMessage {
  static var initialise: Initialiser { marquee__v1__associated_person__init }
}
