internal import CMarqueeProtos
internal import CProtobufC
public import MarqueeModel
public import MarqueeRPC

/// A message from the server on a query stream: a query of a display, or a message about one.
public enum ProviderQuery: Hashable, Sendable {
  /// The subject of a query.
  public enum Subject: Hashable, Sendable {
    /// The options of a parameter.
    case options(OptionsQuery)
    /// The configuration form of a widget kind.
    case form(FormQuery)
    /// A request to perform an intent.
    case run(IntentInvocation)
    /// A suggestion that the user acted on, or a widget that they tapped.
    case continuation(Continuation)
  }

  /// The stream is attached. The key names a stream whose queries are answered by unary calls; `nil` for others.
  case attached(StreamKey?)
  /// A query with its number on the stream, and the time left for the response.
  case asked(UInt64, Subject, timeLeft: TimeSpan)
  /// The user's reply to the latest prompt of the intent with this number.
  case reply(UInt64, isAgreed: Bool)
  /// The query with this number was cancelled; a response is ignored.
  case cancelled(UInt64)
  /// The app performs its Focus filter, and does not respond.
  case focusFilter(FocusFilterState)
  /// Nothing was sent for the time that the app requested.
  case heartbeat
}

/// A message of an app about a query: any number of intermediate steps, followed by one final response.
public enum QueryResponse: Hashable, Sendable {
  /// The options of a parameter.
  case options(ParameterOptions)
  /// The configuration form of a widget kind.
  case form(ConfigurationForm)
  /// Intermediate: the progress of an intent.
  case progress(IntentProgress)
  /// Intermediate: a prompt for the user, which waits for the reply.
  case prompt(IntentPrompt)
  /// The outcome of an intent.
  case outcome(IntentOutcome)
  /// The outcome of a continuation.
  case continued(ContinuationOutcome)
  /// The app failed to respond; the code is not `OK`.
  case rejected(StatusCode, message: String)
}

/// A message from an app on its query stream.
public enum ServeQueriesRequest: Hashable, Sendable {
  /// Attaches the stream to an app on a device, with the app's App Shortcuts; the first message.
  case attach(DeviceID, AppID, PhraseBook = .empty)
  /// A response to the query with this number, or an intermediate step.
  case response(UInt64, QueryResponse)
}

extension ProviderQuery: WireValue {
  init(_ message: Marquee__V1__ProviderQuery) throws(RequestError) {
    let timeLeft = TimeSpan(milliseconds: message.time_left_ms)
    switch message.query_case {
    case MARQUEE__V1__PROVIDER_QUERY__QUERY_ATTACHED:
      self = .attached(
        try Field.within("attached", Field.identifierIfPresent(message.attached.pointee.stream, "stream")))
    case MARQUEE__V1__PROVIDER_QUERY__QUERY_OPTIONS:
      self = .asked(message.number, .options(try Field.required(message.options, "options")), timeLeft: timeLeft)
    case MARQUEE__V1__PROVIDER_QUERY__QUERY_FORM:
      self = .asked(message.number, .form(try Field.required(message.form, "form")), timeLeft: timeLeft)
    case MARQUEE__V1__PROVIDER_QUERY__QUERY_RUN:
      self = .asked(message.number, .run(try Field.required(message.run, "run")), timeLeft: timeLeft)
    case MARQUEE__V1__PROVIDER_QUERY__QUERY_CONTINUATION:
      let continuation: Continuation = try Field.required(message.continuation, "continuation")
      self = .asked(message.number, .continuation(continuation), timeLeft: timeLeft)
    case MARQUEE__V1__PROVIDER_QUERY__QUERY_REPLY: self = .reply(message.number, isAgreed: message.reply != 0)
    case MARQUEE__V1__PROVIDER_QUERY__QUERY_CANCELLED:
      try Field.selector(message.cancelled, "cancelled")
      self = .cancelled(message.number)
    case MARQUEE__V1__PROVIDER_QUERY__QUERY_FOCUS_FILTER:
      self = .focusFilter(try Field.required(message.focus_filter, "focus_filter"))
    case MARQUEE__V1__PROVIDER_QUERY__QUERY_HEARTBEAT:
      try Field.selector(message.heartbeat, "heartbeat")
      self = .heartbeat
    default: throw Field.absent("query", of: message.base)
    }
  }

  func fill(_ message: inout Marquee__V1__ProviderQuery, _ scratch: EncodeScratch) {
    switch self {
    case .attached(let key):
      message.query_case = MARQUEE__V1__PROVIDER_QUERY__QUERY_ATTACHED
      message.attached = scratch.build { $0.stream = scratch.text(key) }
    case .asked(let number, let subject, let timeLeft):
      message.number = number
      message.time_left_ms = timeLeft.milliseconds
      subject.fill(&message, scratch)
    case .reply(let number, let isAgreed):
      message.number = number
      message.query_case = MARQUEE__V1__PROVIDER_QUERY__QUERY_REPLY
      message.reply = isAgreed ? 1 : 0
    case .cancelled(let number):
      message.number = number
      message.query_case = MARQUEE__V1__PROVIDER_QUERY__QUERY_CANCELLED
      message.cancelled = 1
    case .focusFilter(let state):
      message.query_case = MARQUEE__V1__PROVIDER_QUERY__QUERY_FOCUS_FILTER
      message.focus_filter = scratch.message(state)
    case .heartbeat:
      message.query_case = MARQUEE__V1__PROVIDER_QUERY__QUERY_HEARTBEAT
      message.heartbeat = 1
    }
  }
}

extension ProviderQuery.Subject {
  fileprivate func fill(_ message: inout Marquee__V1__ProviderQuery, _ scratch: EncodeScratch) {
    switch self {
    case .options(let query):
      message.query_case = MARQUEE__V1__PROVIDER_QUERY__QUERY_OPTIONS
      message.options = scratch.message(query)
    case .form(let query):
      message.query_case = MARQUEE__V1__PROVIDER_QUERY__QUERY_FORM
      message.form = scratch.message(query)
    case .run(let run):
      message.query_case = MARQUEE__V1__PROVIDER_QUERY__QUERY_RUN
      message.run = scratch.message(run)
    case .continuation(let continuation):
      message.query_case = MARQUEE__V1__PROVIDER_QUERY__QUERY_CONTINUATION
      message.continuation = scratch.message(continuation)
    }
  }
}

extension ServeQueriesRequest: WireValue {
  init(_ message: Marquee__V1__ServeQueriesRequest) throws(RequestError) {
    switch message.message_case {
    case MARQUEE__V1__SERVE_QUERIES_REQUEST__MESSAGE_ATTACH:
      let attach = message.attach.pointee
      let (device, app): (DeviceID, AppID) = try Field.within(
        "attach", (Field.identifier(attach.device, "device"), Field.identifier(attach.app, "app")))
      let book = try PhraseBook(message.n_app_shortcuts, message.app_shortcuts, of: message.application_name)
      self = .attach(device, app, book)
    case MARQUEE__V1__SERVE_QUERIES_REQUEST__MESSAGE_RESPONSE:
      guard message.n_app_shortcuts == 0, message.application_name.len == 0 else {
        throw RequestError(
          .invalidArgument, field: message.n_app_shortcuts == 0 ? "application_name" : "app_shortcuts",
          "only allowed in the message that attaches the stream")
      }
      let answer = message.response.pointee
      self = .response(answer.number, try Self.within("response", answer))
    default: throw Field.absent("message", of: message.base)
    }
  }

  /// Decodes a response. An invalid response fails its query with an error of the app, and does not affect the stream.
  private static func within(_ name: String, _ message: Marquee__V1__QueryResponse) throws(RequestError)
    -> QueryResponse
  {
    do {
      return try QueryResponse(message)
    } catch {
      return .rejected(.failedPrecondition, message: "invalid response from the app: \(error.within(name))")
    }
  }

  func fill(_ message: inout Marquee__V1__ServeQueriesRequest, _ scratch: EncodeScratch) {
    switch self {
    case .attach(let device, let app, let book):
      (message.n_app_shortcuts, message.app_shortcuts) = scratch.array(book.shortcuts)
      message.application_name = scratch.text(book.applicationName)
      message.message_case = MARQUEE__V1__SERVE_QUERIES_REQUEST__MESSAGE_ATTACH
      message.attach = scratch.build {
        $0.device = scratch.text(device)
        $0.app = scratch.text(app)
      }
    case .response(let number, let answer):
      message.message_case = MARQUEE__V1__SERVE_QUERIES_REQUEST__MESSAGE_RESPONSE
      message.response = scratch.build {
        answer.fill(&$0, scratch)
        $0.number = number
      }
    }
  }
}

extension PhraseBook {
  /// Decodes the fields `app_shortcuts` and `application_name` of a request.
  init(
    _ count: Int, _ shortcuts: UnsafeMutablePointer<UnsafeMutablePointer<Marquee__V1__AppShortcutDescriptor>?>?,
    of name: ProtobufCBinaryData
  ) throws(RequestError) {
    guard count <= Self.shortcutCountMax else {
      throw .over(
        limit: "app-shortcut-count-max", maximum: Self.shortcutCountMax, count: count, field: "app_shortcuts")
    }
    try self.init(
      applicationName: Field.text(name, "application_name"),
      shortcuts: Field.array(count, shortcuts, "app_shortcuts"))
  }
}

extension QueryResponse {
  init(_ message: Marquee__V1__QueryResponse) throws(RequestError) {
    switch message.response_case {
    case MARQUEE__V1__QUERY_RESPONSE__RESPONSE_OPTIONS: self = .options(try Field.required(message.options, "options"))
    case MARQUEE__V1__QUERY_RESPONSE__RESPONSE_FORM: self = .form(try Field.required(message.form, "form"))
    case MARQUEE__V1__QUERY_RESPONSE__RESPONSE_PROGRESS:
      self = .progress(try Field.required(message.progress, "progress"))
    case MARQUEE__V1__QUERY_RESPONSE__RESPONSE_PROMPT: self = .prompt(try Field.required(message.prompt, "prompt"))
    case MARQUEE__V1__QUERY_RESPONSE__RESPONSE_OUTCOME: self = .outcome(try Field.required(message.outcome, "outcome"))
    case MARQUEE__V1__QUERY_RESPONSE__RESPONSE_CONTINUED:
      self = .continued(try ContinuationOutcome(message.continued, "continued"))
    case MARQUEE__V1__QUERY_RESPONSE__RESPONSE_REJECTED:
      let rejected = message.rejected.pointee
      guard rejected.code != 0 else {
        throw RequestError(.invalidArgument, field: "rejected.code", "must not be 0 (OK)")
      }
      self = .rejected(
        StatusCode(rawValue: rejected.code),
        message: try Field.within("rejected", Field.text(rejected.message, "message")))
    default: throw Field.absent("response", of: message.base)
    }
  }

  func fill(_ message: inout Marquee__V1__QueryResponse, _ scratch: EncodeScratch) {
    switch self {
    case .options(let options):
      message.response_case = MARQUEE__V1__QUERY_RESPONSE__RESPONSE_OPTIONS
      message.options = scratch.message(options)
    case .form(let form):
      message.response_case = MARQUEE__V1__QUERY_RESPONSE__RESPONSE_FORM
      message.form = scratch.message(form)
    case .progress(let progress):
      message.response_case = MARQUEE__V1__QUERY_RESPONSE__RESPONSE_PROGRESS
      message.progress = scratch.message(progress)
    case .prompt(let prompt):
      message.response_case = MARQUEE__V1__QUERY_RESPONSE__RESPONSE_PROMPT
      message.prompt = scratch.message(prompt)
    case .outcome(let outcome):
      message.response_case = MARQUEE__V1__QUERY_RESPONSE__RESPONSE_OUTCOME
      message.outcome = scratch.message(outcome)
    case .continued(let outcome):
      message.response_case = MARQUEE__V1__QUERY_RESPONSE__RESPONSE_CONTINUED
      message.continued = Marquee__V1__ContinuationOutcome(outcome)
    case .rejected(let code, let reason):
      precondition(code != .ok, "error with status code OK")
      message.response_case = MARQUEE__V1__QUERY_RESPONSE__RESPONSE_REJECTED
      message.rejected = scratch.build {
        $0.code = code.rawValue
        $0.message = scratch.text(reason)
      }
    }
  }
}
