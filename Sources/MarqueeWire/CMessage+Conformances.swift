// One conformance for each message that protoc-c generates; a test compares this list with the .proto files.

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

extension Marquee__V1__ReloadTimelines: CMessage {
  static var initialise: Initialiser { marquee__v1__reload_timelines__init }
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

extension Marquee__V1__ListDevicesRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__list_devices_request__init }
}

extension Marquee__V1__ListDevicesResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__list_devices_response__init }
}

extension Marquee__V1__DeviceSummary: CMessage {
  static var initialise: Initialiser { marquee__v1__device_summary__init }
}

extension Marquee__V1__ListStacksRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__list_stacks_request__init }
}

extension Marquee__V1__ListStacksResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__list_stacks_response__init }
}

extension Marquee__V1__ListWidgetsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__list_widgets_request__init }
}

extension Marquee__V1__ListWidgetsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__list_widgets_response__init }
}

extension Marquee__V1__RegisteredKind: CMessage {
  static var initialise: Initialiser { marquee__v1__registered_kind__init }
}

extension Marquee__V1__InspectStackRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__inspect_stack_request__init }
}

extension Marquee__V1__InspectStackResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__inspect_stack_response__init }
}

extension Marquee__V1__MemberState: CMessage {
  static var initialise: Initialiser { marquee__v1__member_state__init }
}

extension Marquee__V1__RelevanceInForce: CMessage {
  static var initialise: Initialiser { marquee__v1__relevance_in_force__init }
}

extension Marquee__V1__CurrentEntryInfo: CMessage {
  static var initialise: Initialiser { marquee__v1__current_entry_info__init }
}

extension Marquee__V1__ReloadState: CMessage {
  static var initialise: Initialiser { marquee__v1__reload_state__init }
}

extension Marquee__V1__GetTimelineRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__get_timeline_request__init }
}

extension Marquee__V1__GetTimelineResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__get_timeline_response__init }
}

extension Marquee__V1__ExplainRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__explain_request__init }
}

extension Marquee__V1__ExplainResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__explain_response__init }
}

extension Marquee__V1__Explanation: CMessage {
  static var initialise: Initialiser { marquee__v1__explanation__init }
}

extension Marquee__V1__Candidate: CMessage {
  static var initialise: Initialiser { marquee__v1__candidate__init }
}

extension Marquee__V1__HabitReasons: CMessage {
  static var initialise: Initialiser { marquee__v1__habit_reasons__init }
}

extension Marquee__V1__SignalShare: CMessage {
  static var initialise: Initialiser { marquee__v1__signal_share__init }
}

extension Marquee__V1__Gate: CMessage {
  static var initialise: Initialiser { marquee__v1__gate__init }
}

extension Marquee__V1__WhyNotRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__why_not_request__init }
}

extension Marquee__V1__WhyNotResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__why_not_response__init }
}

extension Marquee__V1__Obstacle: CMessage {
  static var initialise: Initialiser { marquee__v1__obstacle__init }
}

extension Marquee__V1__EvidenceGap: CMessage {
  static var initialise: Initialiser { marquee__v1__evidence_gap__init }
}

extension Marquee__V1__Likelihood: CMessage {
  static var initialise: Initialiser { marquee__v1__likelihood__init }
}

extension Marquee__V1__ScoreEnded: CMessage {
  static var initialise: Initialiser { marquee__v1__score_ended__init }
}

extension Marquee__V1__ScoreNotPositive: CMessage {
  static var initialise: Initialiser { marquee__v1__score_not_positive__init }
}

extension Marquee__V1__ListDecisionsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__list_decisions_request__init }
}

extension Marquee__V1__ListDecisionsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__list_decisions_response__init }
}

extension Marquee__V1__Decision: CMessage {
  static var initialise: Initialiser { marquee__v1__decision__init }
}

extension Marquee__V1__SetDeveloperModeRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__set_developer_mode_request__init }
}

extension Marquee__V1__SetDeveloperModeResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__set_developer_mode_response__init }
}

extension Marquee__V1__ListShortcutsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__list_shortcuts_request__init }
}

extension Marquee__V1__ListShortcutsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__list_shortcuts_response__init }
}

extension Marquee__V1__AppShortcuts: CMessage {
  static var initialise: Initialiser { marquee__v1__app_shortcuts__init }
}

extension Marquee__V1__ShortcutState: CMessage {
  static var initialise: Initialiser { marquee__v1__shortcut_state__init }
}

extension Marquee__V1__RelevantIntentState: CMessage {
  static var initialise: Initialiser { marquee__v1__relevant_intent_state__init }
}

extension Marquee__V1__WindowReading: CMessage {
  static var initialise: Initialiser { marquee__v1__window_reading__init }
}

extension Marquee__V1__PolicyNumber: CMessage {
  static var initialise: Initialiser { marquee__v1__policy_number__init }
}

extension Marquee__V1__GetPolicyRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__get_policy_request__init }
}

extension Marquee__V1__GetPolicyResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__get_policy_response__init }
}

extension Marquee__V1__PolicySetting: CMessage {
  static var initialise: Initialiser { marquee__v1__policy_setting__init }
}

extension Marquee__V1__SetPolicyRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__set_policy_request__init }
}

extension Marquee__V1__SetPolicyResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__set_policy_response__init }
}

extension Marquee__V1__ListWatchFaceRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__list_watch_face_request__init }
}

extension Marquee__V1__ListWatchFaceResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__list_watch_face_response__init }
}

extension Marquee__V1__WatchFaceItem: CMessage {
  static var initialise: Initialiser { marquee__v1__watch_face_item__init }
}

extension Marquee__V1__SituationInForce: CMessage {
  static var initialise: Initialiser { marquee__v1__situation_in_force__init }
}

extension Marquee__V1__PlaceAway: CMessage {
  static var initialise: Initialiser { marquee__v1__place_away__init }
}

extension Marquee__V1__BackupRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__backup_request__init }
}

extension Marquee__V1__BackupPart: CMessage {
  static var initialise: Initialiser { marquee__v1__backup_part__init }
}

extension Marquee__V1__RecordDeviceRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__record_device_request__init }
}

extension Marquee__V1__DeviceRecord: CMessage {
  static var initialise: Initialiser { marquee__v1__device_record__init }
}

extension Marquee__V1__DeviceOrigin: CMessage {
  static var initialise: Initialiser { marquee__v1__device_origin__init }
}

extension Marquee__V1__PolicyNumbers: CMessage {
  static var initialise: Initialiser { marquee__v1__policy_numbers__init }
}

extension Marquee__V1__AppReload: CMessage {
  static var initialise: Initialiser { marquee__v1__app_reload__init }
}

extension Marquee__V1__ListDonationsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__list_donations_request__init }
}

extension Marquee__V1__ListDonationsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__list_donations_response__init }
}

extension Marquee__V1__DonationReading: CMessage {
  static var initialise: Initialiser { marquee__v1__donation_reading__init }
}

extension Marquee__V1__DonationContext: CMessage {
  static var initialise: Initialiser { marquee__v1__donation_context__init }
}

extension Marquee__V1__SatisfiedCombination: CMessage {
  static var initialise: Initialiser { marquee__v1__satisfied_combination__init }
}

extension Marquee__V1__PredictRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__predict_request__init }
}

extension Marquee__V1__PredictResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__predict_response__init }
}

extension Marquee__V1__LikelyAction: CMessage {
  static var initialise: Initialiser { marquee__v1__likely_action__init }
}

extension Marquee__V1__ActivityValues: CMessage {
  static var initialise: Initialiser { marquee__v1__activity_values__init }
}

extension Marquee__V1__ForgetDonationsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__forget_donations_request__init }
}

extension Marquee__V1__ForgetDonationsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__forget_donations_response__init }
}

extension Marquee__V1__UTCOffsets: CMessage {
  static var initialise: Initialiser { marquee__v1__utcoffsets__init }
}

extension Marquee__V1__UTCOffsetStep: CMessage {
  static var initialise: Initialiser { marquee__v1__utcoffset_step__init }
}

extension Marquee__V1__DonationsErased: CMessage {
  static var initialise: Initialiser { marquee__v1__donations_erased__init }
}

extension Marquee__V1__DonationsTrimmed: CMessage {
  static var initialise: Initialiser { marquee__v1__donations_trimmed__init }
}

extension Marquee__V1__GetClockRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__get_clock_request__init }
}

extension Marquee__V1__GetClockResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__get_clock_response__init }
}

extension Marquee__V1__AdvanceClockRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__advance_clock_request__init }
}

extension Marquee__V1__AdvanceClockResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__advance_clock_response__init }
}

extension Marquee__V1__ClockReading: CMessage {
  static var initialise: Initialiser { marquee__v1__clock_reading__init }
}

extension Grpc__Health__V1__HealthCheckRequest: CMessage {
  static var initialise: Initialiser { grpc__health__v1__health_check_request__init }
}

extension Grpc__Health__V1__HealthCheckResponse: CMessage {
  static var initialise: Initialiser { grpc__health__v1__health_check_response__init }
}
