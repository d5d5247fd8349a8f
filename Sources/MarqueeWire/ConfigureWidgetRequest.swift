internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to an app for the options of a parameter.
public struct ListParameterOptionsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// The query.
  public var query: OptionsQuery

  /// Creates a request.
  public init(device: DeviceID, app: AppID, query: OptionsQuery) {
    (self.device, self.app, self.query) = (device, app, query)
  }
}

/// The options of a parameter.
public struct ListParameterOptionsResponse: Hashable, Sendable {
  /// The requested options.
  public var options: ParameterOptions

  /// Creates a response.
  public init(options: ParameterOptions) { self.options = options }
}

/// A request to an app for a configuration form.
public struct GetConfigurationFormRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// The query.
  public var query: FormQuery

  /// Creates a request.
  public init(device: DeviceID, app: AppID, query: FormQuery) {
    (self.device, self.app, self.query) = (device, app, query)
  }
}

/// A configuration form.
public struct GetConfigurationFormResponse: Hashable, Sendable {
  /// The form to show.
  public var form: ConfigurationForm

  /// Creates a response.
  public init(form: ConfigurationForm) { self.form = form }
}

/// A request to change the configuration of a widget on a stack.
public struct ConfigureWidgetRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The stack.
  public var stack: StackID
  /// The widget with its current configuration.
  public var widget: Widget
  /// The new configuration.
  public var configuration: Intent

  /// Creates a request.
  public init(device: DeviceID, stack: StackID, widget: Widget, configuration: Intent) {
    (self.device, self.stack, self.widget, self.configuration) = (device, stack, widget, configuration)
  }
}

/// The result of a configuration change.
public struct ConfigureWidgetResponse: Hashable, Sendable {
  /// The form. If it has validation errors, nothing was changed; otherwise it contains the widget's new configuration.
  public var form: ConfigurationForm
  /// The stack after the request.
  public var stack: Stack

  /// Creates a response.
  public init(form: ConfigurationForm, stack: Stack) { (self.form, self.stack) = (form, stack) }
}

extension ListParameterOptionsRequest: WireValue {
  init(_ message: Marquee__V1__ListParameterOptionsRequest) throws(RequestError) {
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
  init(_ message: Marquee__V1__ListParameterOptionsResponse) throws(RequestError) {
    self.init(options: try Field.required(message.options, "options"))
  }

  func fill(_ message: inout Marquee__V1__ListParameterOptionsResponse, _ scratch: EncodeScratch) {
    message.options = scratch.message(options)
  }
}

extension GetConfigurationFormRequest: WireValue {
  init(_ message: Marquee__V1__GetConfigurationFormRequest) throws(RequestError) {
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
  init(_ message: Marquee__V1__GetConfigurationFormResponse) throws(RequestError) {
    self.init(form: try Field.required(message.form, "form"))
  }

  func fill(_ message: inout Marquee__V1__GetConfigurationFormResponse, _ scratch: EncodeScratch) {
    message.form = scratch.message(form)
  }
}

extension ConfigureWidgetRequest: WireValue {
  init(_ message: Marquee__V1__ConfigureWidgetRequest) throws(RequestError) {
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
  init(_ message: Marquee__V1__ConfigureWidgetResponse) throws(RequestError) {
    self.init(form: try Field.required(message.form, "form"), stack: try Field.required(message.stack, "stack"))
  }

  func fill(_ message: inout Marquee__V1__ConfigureWidgetResponse, _ scratch: EncodeScratch) {
    message.form = scratch.message(form)
    message.stack = scratch.message(stack)
  }
}
