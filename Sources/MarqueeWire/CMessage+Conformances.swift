// One conformance for each message that protoc-c generates, except those of `admin.proto`; a test compares them with
// the .proto files.

internal import CMarqueeProtos

extension Marquee__V1__DisplayIdentity: CMessage {
  static var initialise: Initialiser { marquee__v1__display_identity__init }
}

extension Marquee__V1__Place: CMessage {
  static var initialise: Initialiser { marquee__v1__place__init }
}

extension Marquee__V1__IntentValue: CMessage {
  static var initialise: Initialiser { marquee__v1__intent_value__init }
}

extension Marquee__V1__IntentParameter: CMessage {
  static var initialise: Initialiser { marquee__v1__intent_parameter__init }
}

extension Marquee__V1__Intent: CMessage {
  static var initialise: Initialiser { marquee__v1__intent__init }
}

extension Marquee__V1__WidgetKind: CMessage {
  static var initialise: Initialiser { marquee__v1__widget_kind__init }
}

extension Marquee__V1__Widget: CMessage {
  static var initialise: Initialiser { marquee__v1__widget__init }
}

extension Marquee__V1__WidgetDescriptor: CMessage {
  static var initialise: Initialiser { marquee__v1__widget_descriptor__init }
}

extension Marquee__V1__EntryContent: CMessage {
  static var initialise: Initialiser { marquee__v1__entry_content__init }
}

extension Marquee__V1__TimelineEntryRelevance: CMessage {
  static var initialise: Initialiser { marquee__v1__timeline_entry_relevance__init }
}

extension Marquee__V1__TimelineEntry: CMessage {
  static var initialise: Initialiser { marquee__v1__timeline_entry__init }
}

extension Marquee__V1__TimelineReloadPolicy: CMessage {
  static var initialise: Initialiser { marquee__v1__timeline_reload_policy__init }
}

extension Marquee__V1__IntentTypeParameter: CMessage {
  static var initialise: Initialiser { marquee__v1__intent_type_parameter__init }
}

extension Marquee__V1__ParameterCombination: CMessage {
  static var initialise: Initialiser { marquee__v1__parameter_combination__init }
}

extension Marquee__V1__IntentTypeDescriptor: CMessage {
  static var initialise: Initialiser { marquee__v1__intent_type_descriptor__init }
}

extension Marquee__V1__DateWindow: CMessage {
  static var initialise: Initialiser { marquee__v1__date_window__init }
}

extension Marquee__V1__PlaceRegion: CMessage {
  static var initialise: Initialiser { marquee__v1__place_region__init }
}

extension Marquee__V1__RelevanceProvider: CMessage {
  static var initialise: Initialiser { marquee__v1__relevance_provider__init }
}

extension Marquee__V1__RelevantShortcut: CMessage {
  static var initialise: Initialiser { marquee__v1__relevant_shortcut__init }
}

extension Marquee__V1__RelevantIntent: CMessage {
  static var initialise: Initialiser { marquee__v1__relevant_intent__init }
}

extension Marquee__V1__Warning: CMessage {
  static var initialise: Initialiser { marquee__v1__warning__init }
}

extension Marquee__V1__Stack: CMessage {
  static var initialise: Initialiser { marquee__v1__stack__init }
}

extension Marquee__V1__RegisterKindsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__register_kinds_request__init }
}

extension Marquee__V1__RegisterKindsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__register_kinds_response__init }
}

extension Marquee__V1__RegisterIntentTypesRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__register_intent_types_request__init }
}

extension Marquee__V1__RegisterIntentTypesResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__register_intent_types_response__init }
}

extension Marquee__V1__SetRelevantShortcutsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__set_relevant_shortcuts_request__init }
}

extension Marquee__V1__SetRelevantShortcutsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__set_relevant_shortcuts_response__init }
}

extension Marquee__V1__SetRelevantIntentsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__set_relevant_intents_request__init }
}

extension Marquee__V1__SetRelevantIntentsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__set_relevant_intents_response__init }
}

extension Marquee__V1__ProviderMessage: CMessage {
  static var initialise: Initialiser { marquee__v1__provider_message__init }
}

extension Marquee__V1__Attach: CMessage {
  static var initialise: Initialiser { marquee__v1__attach__init }
}

extension Marquee__V1__TimelinePart: CMessage {
  static var initialise: Initialiser { marquee__v1__timeline_part__init }
}

extension Marquee__V1__AbandonTimeline: CMessage {
  static var initialise: Initialiser { marquee__v1__abandon_timeline__init }
}

extension Marquee__V1__ProviderEvent: CMessage {
  static var initialise: Initialiser { marquee__v1__provider_event__init }
}

extension Marquee__V1__Attached: CMessage {
  static var initialise: Initialiser { marquee__v1__attached__init }
}

extension Marquee__V1__TimelineAccepted: CMessage {
  static var initialise: Initialiser { marquee__v1__timeline_accepted__init }
}

extension Marquee__V1__TimelineRefused: CMessage {
  static var initialise: Initialiser { marquee__v1__timeline_refused__init }
}

extension Marquee__V1__ReloadRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__reload_request__init }
}

extension Marquee__V1__UserActivity: CMessage {
  static var initialise: Initialiser { marquee__v1__user_activity__init }
}

extension Marquee__V1__Donation: CMessage {
  static var initialise: Initialiser { marquee__v1__donation__init }
}

extension Marquee__V1__DonateRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__donate_request__init }
}

extension Marquee__V1__DonateResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__donate_response__init }
}

extension Marquee__V1__DonationMessage: CMessage {
  static var initialise: Initialiser { marquee__v1__donation_message__init }
}

extension Marquee__V1__NumberedDonation: CMessage {
  static var initialise: Initialiser { marquee__v1__numbered_donation__init }
}

extension Marquee__V1__DonationEvent: CMessage {
  static var initialise: Initialiser { marquee__v1__donation_event__init }
}

extension Marquee__V1__DonationsAccepted: CMessage {
  static var initialise: Initialiser { marquee__v1__donations_accepted__init }
}

extension Marquee__V1__DonationRefused: CMessage {
  static var initialise: Initialiser { marquee__v1__donation_refused__init }
}

extension Marquee__V1__DonationSelection: CMessage {
  static var initialise: Initialiser { marquee__v1__donation_selection__init }
}

extension Marquee__V1__DonationNames: CMessage {
  static var initialise: Initialiser { marquee__v1__donation_names__init }
}

extension Marquee__V1__DeleteDonationsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__delete_donations_request__init }
}

extension Marquee__V1__DeleteDonationsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__delete_donations_response__init }
}

extension Marquee__V1__RegisterDeviceRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__register_device_request__init }
}

extension Marquee__V1__RegisterDeviceResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__register_device_response__init }
}

extension Marquee__V1__WatchRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__watch_request__init }
}

extension Marquee__V1__DisplayUpdate: CMessage {
  static var initialise: Initialiser { marquee__v1__display_update__init }
}

extension Marquee__V1__DeviceState: CMessage {
  static var initialise: Initialiser { marquee__v1__device_state__init }
}

extension Marquee__V1__CurrentEntry: CMessage {
  static var initialise: Initialiser { marquee__v1__current_entry__init }
}

extension Marquee__V1__SuggestionChange: CMessage {
  static var initialise: Initialiser { marquee__v1__suggestion_change__init }
}

extension Marquee__V1__FrontChanged: CMessage {
  static var initialise: Initialiser { marquee__v1__front_changed__init }
}

extension Marquee__V1__ReportRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__report_request__init }
}

extension Marquee__V1__WidgetReport: CMessage {
  static var initialise: Initialiser { marquee__v1__widget_report__init }
}

extension Marquee__V1__ReportResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__report_response__init }
}

extension Marquee__V1__EditStackRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__edit_stack_request__init }
}

extension Marquee__V1__CreateStack: CMessage {
  static var initialise: Initialiser { marquee__v1__create_stack__init }
}

extension Marquee__V1__AddWidget: CMessage {
  static var initialise: Initialiser { marquee__v1__add_widget__init }
}

extension Marquee__V1__MoveWidget: CMessage {
  static var initialise: Initialiser { marquee__v1__move_widget__init }
}

extension Marquee__V1__EditStackResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__edit_stack_response__init }
}

extension Grpc__Health__V1__HealthCheckRequest: CMessage {
  static var initialise: Initialiser { grpc__health__v1__health_check_request__init }
}

extension Grpc__Health__V1__HealthCheckResponse: CMessage {
  static var initialise: Initialiser { grpc__health__v1__health_check_response__init }
}
