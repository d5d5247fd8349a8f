internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Asks an app what a parameter can be set to.
public struct ListParameterOptionsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// What is asked.
  public var query: OptionsQuery

  /// A request.
  public init(device: DeviceID, app: AppID, query: OptionsQuery) {
    (self.device, self.app, self.query) = (device, app, query)
  }
}

/// What the parameter can be set to.
public struct ListParameterOptionsResponse: Hashable, Sendable {
  /// The options that were asked for.
  public var options: ParameterOptions

  /// A response.
  public init(options: ParameterOptions) { self.options = options }
}

/// Asks an app how its widgets are configured.
public struct GetConfigurationFormRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// What is asked.
  public var query: FormQuery

  /// A request.
  public init(device: DeviceID, app: AppID, query: FormQuery) {
    (self.device, self.app, self.query) = (device, app, query)
  }
}

/// How widgets of a kind are configured.
public struct GetConfigurationFormResponse: Hashable, Sendable {
  /// What the person sees.
  public var form: ConfigurationForm

  /// A response.
  public init(form: ConfigurationForm) { self.form = form }
}

/// Configures a widget of a stack in another way.
public struct ConfigureWidgetRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The stack.
  public var stack: StackID
  /// The widget as it is.
  public var widget: Widget
  /// How it is to be configured.
  public var configuration: Intent

  /// A request.
  public init(device: DeviceID, stack: StackID, widget: Widget, configuration: Intent) {
    (self.device, self.stack, self.widget, self.configuration) = (device, stack, widget, configuration)
  }
}

/// What became of a configuration.
public struct ConfigureWidgetResponse: Hashable, Sendable {
  /// With problems, nothing has changed; without, the widget is configured as this says.
  public var form: ConfigurationForm
  /// The stack as it stands then.
  public var stack: Stack

  /// A response.
  public init(form: ConfigurationForm, stack: Stack) { (self.form, self.stack) = (form, stack) }
}

extension ListParameterOptionsRequest: WireValue {
  init(_ message: Marquee__V1__ListParameterOptionsRequest) throws(Refusal) {
    self.init(
      device: try Field.identifier(message.device, "device"), app: try Field.identifier(message.app, "app"),
      query: try Field.required(message.query, "query"))
  }

  func fill(_ message: inout Marquee__V1__ListParameterOptionsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    message.query = scratch.message(query)
  }
}

extension ListParameterOptionsResponse: WireValue {
  init(_ message: Marquee__V1__ListParameterOptionsResponse) throws(Refusal) {
    self.init(options: try Field.required(message.options, "options"))
  }

  func fill(_ message: inout Marquee__V1__ListParameterOptionsResponse, _ scratch: EncodeScratch) {
    message.options = scratch.message(options)
  }
}

extension GetConfigurationFormRequest: WireValue {
  init(_ message: Marquee__V1__GetConfigurationFormRequest) throws(Refusal) {
    self.init(
      device: try Field.identifier(message.device, "device"), app: try Field.identifier(message.app, "app"),
      query: try Field.required(message.query, "query"))
  }

  func fill(_ message: inout Marquee__V1__GetConfigurationFormRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    message.query = scratch.message(query)
  }
}

extension GetConfigurationFormResponse: WireValue {
  init(_ message: Marquee__V1__GetConfigurationFormResponse) throws(Refusal) {
    self.init(form: try Field.required(message.form, "form"))
  }

  func fill(_ message: inout Marquee__V1__GetConfigurationFormResponse, _ scratch: EncodeScratch) {
    message.form = scratch.message(form)
  }
}

extension ConfigureWidgetRequest: WireValue {
  init(_ message: Marquee__V1__ConfigureWidgetRequest) throws(Refusal) {
    self.init(
      device: try Field.identifier(message.device, "device"), stack: try Field.identifier(message.stack, "stack"),
      widget: try Field.required(message.widget, "widget"),
      configuration: try Field.required(message.configuration, "configuration"))
  }

  func fill(_ message: inout Marquee__V1__ConfigureWidgetRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.stack = scratch.text(stack)
    message.widget = scratch.message(widget)
    message.configuration = scratch.message(configuration)
  }
}

extension ConfigureWidgetResponse: WireValue {
  init(_ message: Marquee__V1__ConfigureWidgetResponse) throws(Refusal) {
    self.init(form: try Field.required(message.form, "form"), stack: try Field.required(message.stack, "stack"))
  }

  func fill(_ message: inout Marquee__V1__ConfigureWidgetResponse, _ scratch: EncodeScratch) {
    message.form = scratch.message(form)
    message.stack = scratch.message(stack)
  }
}
