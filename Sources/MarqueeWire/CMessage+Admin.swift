// One conformance for each message of `marquee/v1/admin.proto`.

internal import CMarqueeProtos

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

extension Marquee__V1__WindowStatus: CMessage {
  static var initialise: Initialiser { marquee__v1__window_status__init }
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

extension Marquee__V1__ListDonationsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__list_donations_request__init }
}

extension Marquee__V1__ListDonationsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__list_donations_response__init }
}

extension Marquee__V1__DonationStatus: CMessage {
  static var initialise: Initialiser { marquee__v1__donation_status__init }
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

extension Marquee__V1__ResetDeviceClockRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__reset_device_clock_request__init }
}

extension Marquee__V1__ResetDeviceClockResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__reset_device_clock_response__init }
}

extension Marquee__V1__AdvanceClockRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__advance_clock_request__init }
}

extension Marquee__V1__AdvanceClockResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__advance_clock_response__init }
}

extension Marquee__V1__ClockStatus: CMessage {
  static var initialise: Initialiser { marquee__v1__clock_status__init }
}

extension Marquee__V1__GetLimitsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__get_limits_request__init }
}

extension Marquee__V1__GetLimitsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__get_limits_response__init }
}

extension Marquee__V1__Limit: CMessage {
  static var initialise: Initialiser { marquee__v1__limit__init }
}
