internal import CMarqueeProtos

// Messages of provider queries.

extension Marquee__V1__QueryResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__query_response__init }
}

extension Marquee__V1__ServeQueriesRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__serve_queries_request__init }
}

extension Marquee__V1__QueryRefusal: CMessage {
  static var initialise: Initialiser { marquee__v1__query_refusal__init }
}

extension Marquee__V1__BeginIntent: CMessage {
  static var initialise: Initialiser { marquee__v1__begin_intent__init }
}

extension Marquee__V1__ConfigurationForm: CMessage {
  static var initialise: Initialiser { marquee__v1__configuration_form__init }
}

extension Marquee__V1__ConfigureWidgetRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__configure_widget_request__init }
}

extension Marquee__V1__ConfigureWidgetResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__configure_widget_response__init }
}

extension Marquee__V1__FormField: CMessage {
  static var initialise: Initialiser { marquee__v1__form_field__init }
}

extension Marquee__V1__FormProblem: CMessage {
  static var initialise: Initialiser { marquee__v1__form_problem__init }
}

extension Marquee__V1__FormQuery: CMessage {
  static var initialise: Initialiser { marquee__v1__form_query__init }
}

extension Marquee__V1__GetConfigurationFormRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__get_configuration_form_request__init }
}

extension Marquee__V1__GetConfigurationFormResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__get_configuration_form_response__init }
}

extension Marquee__V1__IntentOutcome: CMessage {
  static var initialise: Initialiser { marquee__v1__intent_outcome__init }
}

extension Marquee__V1__IntentProgress: CMessage {
  static var initialise: Initialiser { marquee__v1__intent_progress__init }
}

extension Marquee__V1__IntentPrompt: CMessage {
  static var initialise: Initialiser { marquee__v1__intent_prompt__init }
}

extension Marquee__V1__IntentInvocation: CMessage {
  static var initialise: Initialiser { marquee__v1__intent_invocation__init }
}

extension Marquee__V1__ListParameterOptionsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__list_parameter_options_request__init }
}

extension Marquee__V1__ListParameterOptionsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__list_parameter_options_response__init }
}

extension Marquee__V1__OptionComparisons: CMessage {
  static var initialise: Initialiser { marquee__v1__option_comparisons__init }
}

extension Marquee__V1__OptionIdentifiers: CMessage {
  static var initialise: Initialiser { marquee__v1__option_identifiers__init }
}

extension Marquee__V1__OptionsQuery: CMessage {
  static var initialise: Initialiser { marquee__v1__options_query__init }
}

extension Marquee__V1__ParameterOption: CMessage {
  static var initialise: Initialiser { marquee__v1__parameter_option__init }
}

extension Marquee__V1__ParameterOptions: CMessage {
  static var initialise: Initialiser { marquee__v1__parameter_options__init }
}

extension Marquee__V1__ParameterValue: CMessage {
  static var initialise: Initialiser { marquee__v1__parameter_value__init }
}

extension Marquee__V1__PerformIntentRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__perform_intent_request__init }
}

extension Marquee__V1__PerformIntentUpdate: CMessage {
  static var initialise: Initialiser { marquee__v1__perform_intent_update__init }
}

extension Marquee__V1__PropertyComparison: CMessage {
  static var initialise: Initialiser { marquee__v1__property_comparison__init }
}

extension Marquee__V1__PropertySort: CMessage {
  static var initialise: Initialiser { marquee__v1__property_sort__init }
}

extension Marquee__V1__ProviderQuery: CMessage {
  static var initialise: Initialiser { marquee__v1__provider_query__init }
}

extension Marquee__V1__ReplaceWidget: CMessage {
  static var initialise: Initialiser { marquee__v1__replace_widget__init }
}

extension Marquee__V1__SummaryPart: CMessage {
  static var initialise: Initialiser { marquee__v1__summary_part__init }
}
