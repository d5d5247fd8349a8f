internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to apply a user's edit to a stack.
public struct EditStackRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The stack.
  public var stack: StackID
  /// The edit; its indices are not negative.
  public var edit: StackEdit

  /// Creates a request.
  public init(device: DeviceID, stack: StackID, edit: StackEdit) {
    self.device = device
    self.stack = stack
    self.edit = edit
  }
}

extension EditStackRequest {
  /// Returns an error of the device about the edit, with the path of the field in the request.
  public func located(_ error: RequestError) -> RequestError {
    let first = error.field.prefix { $0 != "." }
    guard ["widget", "replacement", "index", "pin"].contains(String(first)) else { return error }
    switch edit {
    case .add: return error.within("add")
    case .move: return error.within("move")
    case .setPin: return error.within("set_pin")
    case .setRotationRule: return error.within("set_rotation_rule")
    // The device names the widget of the replacement, which is the field itself.
    case .replace: return Self.renaming("replacement.widget", to: "replacement", in: error).within("replace")
    case .remove: return Self.renaming("widget", to: "remove", in: error)
    case .create, .removeStack, .setSmartRotate, .setWidgetSuggestions: return error
    }
  }

  private static func renaming(_ field: String, to name: String, in error: RequestError) -> RequestError {
    guard error.field == field || error.field.hasPrefix("\(field).") else { return error }
    return RequestError(error.code, field: name + error.field.dropFirst(field.utf8.count), error.reason)
  }
}

extension EditStackRequest: WireValue {
  init(_ message: Marquee__V1__EditStackRequest) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"),
      stack: try Field.identifier(message.stack, "stack"),
      edit: try StackEdit(message))
  }

  func fill(_ message: inout Marquee__V1__EditStackRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.stack = scratch.text(stack)
    switch edit {
    case .create(let family):
      message.edit_case = MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_CREATE
      message.create = scratch.build { $0.family = Marquee__V1__WidgetFamily(family) }
    case .removeStack:
      message.edit_case = MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_REMOVE_STACK
      message.remove_stack = 1
    case .add(let widget, let index):
      message.edit_case = MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_ADD
      message.add = scratch.build {
        $0.widget = scratch.message(widget)
        if let index {
          $0.maybe_index_case = MARQUEE__V1__ADD_WIDGET__MAYBE_INDEX_INDEX
          $0.index = UInt32(clamping: index)
        }
      }
    case .remove(let widget):
      message.edit_case = MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_REMOVE
      message.remove = scratch.message(widget)
    case .move(let widget, let index):
      message.edit_case = MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_MOVE
      message.move = scratch.build {
        $0.widget = scratch.message(widget)
        $0.index = UInt32(clamping: index)
      }
    case .replace(let widget, let replacement):
      message.edit_case = MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_REPLACE
      message.replace = scratch.build {
        $0.widget = scratch.message(widget)
        $0.replacement = scratch.message(replacement)
      }
    case .setSmartRotate(let isOn):
      message.edit_case = MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_SET_SMART_ROTATE
      message.set_smart_rotate = isOn ? 1 : 0
    case .setWidgetSuggestions(let isOn):
      message.edit_case = MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_SET_WIDGET_SUGGESTIONS
      message.set_widget_suggestions = isOn ? 1 : 0
    case .setPin(let widget, let pin):
      message.edit_case = MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_SET_PIN
      message.set_pin = scratch.build {
        $0.widget = scratch.message(widget)
        $0.pin = scratch.message(pin)
      }
    case .setRotationRule(let widget, let rule):
      message.edit_case = MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_SET_ROTATION_RULE
      message.set_rotation_rule = scratch.build {
        $0.widget = scratch.message(widget)
        $0.rule = scratch.message(rule)
      }
    }
  }
}

extension StackEdit {
  fileprivate init(_ message: Marquee__V1__EditStackRequest) throws(RequestError) {
    switch message.edit_case {
    case MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_CREATE:
      self = .create(try Field.within("create", WidgetFamily(message.create.pointee.family, "family")))
    case MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_REMOVE_STACK:
      try Field.selector(message.remove_stack, "remove_stack")
      self = .removeStack
    case MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_ADD:
      let add = message.add.pointee
      let hasIndex = add.maybe_index_case == MARQUEE__V1__ADD_WIDGET__MAYBE_INDEX_INDEX
      self = .add(
        try Field.within("add", Field.required(add.widget, "widget")), at: hasIndex ? Int(add.index) : nil)
    case MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_REMOVE: self = .remove(try Field.required(message.remove, "remove"))
    case MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_MOVE:
      let move = message.move.pointee
      self = .move(try Field.within("move", Field.required(move.widget, "widget")), to: Int(move.index))
    case MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_REPLACE:
      let replace = message.replace.pointee
      self = try Field.within(
        "replace",
        .replace(
          Field.required(replace.widget, "widget"), with: Field.required(replace.replacement, "replacement")))
    case MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_SET_SMART_ROTATE:
      self = .setSmartRotate(message.set_smart_rotate != 0)
    case MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_SET_WIDGET_SUGGESTIONS:
      self = .setWidgetSuggestions(message.set_widget_suggestions != 0)
    case MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_SET_PIN:
      let edit = message.set_pin.pointee
      self = try Field.within(
        "set_pin", .setPin(Field.required(edit.widget, "widget"), Field.optional(edit.pin, "pin")))
    case MARQUEE__V1__EDIT_STACK_REQUEST__EDIT_SET_ROTATION_RULE:
      let edit = message.set_rotation_rule.pointee
      self = try Field.within(
        "set_rotation_rule",
        .setRotationRule(Field.required(edit.widget, "widget"), Field.required(edit.rule, "rule")))
    default: throw Field.absent("edit", of: message.base)
    }
  }
}
