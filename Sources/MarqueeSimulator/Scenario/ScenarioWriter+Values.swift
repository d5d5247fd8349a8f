import Foundation
import MarqueeModel

extension ScenarioWriter {
  func relevance(_ entry: TimelineEntry) -> YAMLText {
    var parts: [YAMLText] = [.text(context.text(entry.date))]
    if let relevance = entry.relevance {
      parts.append(.text("\(relevance.score)"))
      if relevance.duration != .zero { parts.append(.text(relevance.duration.text)) }
    }
    return .list(parts)
  }

  func entry(_ entry: TimelineEntry) -> YAMLText {
    var fields: Fields = [.init("date", .text(context.text(entry.date)))]
    if let relevance = entry.relevance {
      fields.append(.init("score", .text("\(relevance.score)")))
      if relevance.duration != .zero { fields.append(.init("duration", .text(relevance.duration.text))) }
    }
    fields += contentFields(entry.content)
    let details = entry.details
    if let expiry = details.expiry { fields.append(.init("expires", .text(context.text(expiry)))) }
    if details.isPrivate { fields.append(.init("private", .text("on"))) }
    if let redacted = details.redacted { fields.append(.init("redacted", .record(contentFields(redacted)))) }
    if let link = details.link { fields.append(.init("link", .text(link.text))) }
    return .record(fields)
  }

  func contentFields(_ content: EntryContent) -> Fields {
    let type: Fields = content.mediaType.isEmpty ? [] : [.init("type", .text(content.mediaType))]
    guard let text = String(validating: content.bytes, as: UTF8.self) else {
      return type + [.init("base64", .text(Data(content.bytes).base64EncodedString()))]
    }
    return type + (text.isEmpty ? [] : [.init("content", .text(text))])
  }

  /// Returns the text form if it parses to an equal widget, otherwise the long form.
  func widget(_ widget: Widget) -> YAMLText {
    if let text = shortText(widget) { return .text(text) }
    let kind: YAMLText.Field = .init("kind", .text("\(widget.kind)"))
    return .record([kind] + (widget.configuration.map { [YAMLText.Field("intent", intent($0))] } ?? []))
  }

  func shortcut(_ shortcut: RelevantShortcut, of app: AppID) -> YAMLText {
    var fields = kindAndIntent(shortcut.kind, shortcut.intent, of: app)
    if let activity = shortcut.userActivity { fields.append(.init("activity", userActivity(activity))) }
    if shortcut.role != .action { fields.append(.init("role", .text("\(shortcut.role)"))) }
    if !shortcut.providers.isEmpty { fields.append(.init("when", .list(shortcut.providers.map(provider)))) }
    return .record(fields + field(of: shortcut.group))
  }

  func relevantIntent(_ intent: RelevantIntent, of app: AppID) -> YAMLText {
    .record(
      kindAndIntent(intent.kind, intent.intent, of: app) + [.init("when", window(intent.window))]
        + field(of: intent.group))
  }

  func field(of group: GroupName?) -> Fields { group.map { [.init("group", .text($0.text))] } ?? [] }

  func place(_ place: Place) -> YAMLText {
    let numbers = numbers(place)
    return place.display.isEmpty ? numbers : .record([.init("at", numbers), .init("display", .text(place.display))])
  }

  func kind(_ descriptor: WidgetDescriptor) -> YAMLText {
    let families = YAMLText.list(descriptor.families.map { .text($0.description) })
    var fields: Fields = [.init("families", families)]
    if case .intent(let type) = descriptor.configuration { fields.append(.init("intent", .text(type.text))) }
    if !descriptor.displayName.utf8.elementsEqual(descriptor.kind.name.text.utf8) {
      fields.append(.init("display", .text(descriptor.displayName)))
    }
    if !descriptor.descriptionText.isEmpty {
      fields.append(.init("description", .text(descriptor.descriptionText)))
    }
    return fields.count == 1 ? families : .record(fields)
  }

  func intentType(_ descriptor: IntentTypeDescriptor) -> YAMLText {
    var fields: Fields = []
    if !descriptor.parameters.isEmpty {
      let parameters = descriptor.parameters.map { parameter in
        let name = YAMLText.text(parameter.type.text)
        let type = parameter.isArray ? YAMLText.list([name]) : name
        var fields: Fields = [.init("type", type)]
        if !parameter.caseTitles.isEmpty {
          let cases = parameter.caseTitles.map { title in
            YAMLText.record([.init("case", .text(title.name)), .init("title", .text(title.title))])
          }
          fields.append(.init("cases", .list(cases)))
        }
        fields += texts([("find", parameter.findDescription)])
        return YAMLText.Field(parameter.name.text, fields.count == 1 ? type : .record(fields))
      }
      fields.append(.init("parameters", .record(parameters)))
    }
    if descriptor.combinations != [.init(parameters: descriptor.parameters.map(\.name))] {
      fields.append(.init("combinations", .list(descriptor.combinations.map(combination))))
    }
    if !descriptor.isEligibleForWidgets { fields.append(.init("widgets", .text("off"))) }
    if !descriptor.isEligibleForSuggestions { fields.append(.init("suggestions", .text("off"))) }
    if !descriptor.isDiscoverable { fields.append(.init("discoverable", .text("off"))) }
    if descriptor.isFocusFilter { fields.append(.init("focus-filter", .text("on"))) }
    fields += texts([("title", descriptor.title), ("description", descriptor.descriptionText)])
    return .record(fields)
  }

  private func combination(_ combination: IntentTypeDescriptor.Combination) -> YAMLText {
    let names = YAMLText.list(combination.parameters.map { .text($0.text) })
    var fields: Fields = [.init("parameters", names)]
    if combination.isBackground { fields.append(.init("background", .text("on"))) }
    let shown = combination.texts
    fields += texts([
      ("title", shown.title.text), ("subtitle", shown.subtitle.text), ("summary", shown.summary.text),
      ("image", shown.imageKey), ("category", shown.category),
    ])
    if !shown.keywords.isEmpty { fields.append(.init("keywords", .list(shown.keywords.map { .text($0) }))) }
    return fields.count > 1 ? .record(fields) : names
  }

  private func shortText(_ widget: Widget, of app: AppID? = nil) -> String? {
    let text = app == nil ? widget.exactText : String(widget.exactText.dropFirst(widget.kind.app.text.count + 1))
    let read = try? context.widget(text, of: app)  // a text that is rejected is none of the widget's
    return read?.encoded == widget.encoded ? text : nil
  }

  private func kindAndIntent(_ kind: KindName?, _ intent: Intent?, of app: AppID) -> Fields {
    if let kind {
      let widget = Widget(kind: WidgetKind(app: app, name: kind), configuration: intent)
      if let text = shortText(widget, of: app) { return [.init("widget", .text(text))] }
    }
    return (kind.map { [YAMLText.Field("kind", .text($0.text))] } ?? [])
      + (intent.map { [YAMLText.Field("intent", self.intent($0))] } ?? [])
  }

  func intent(_ intent: Intent) -> YAMLText {
    var fields: Fields = [.init("type", .text(intent.type.text))]
    if !intent.parameters.isEmpty { fields.append(.init("parameters", parameters(intent.parameters))) }
    return .record(fields)
  }

  func parameters(_ parameters: [IntentParameter]) -> YAMLText {
    .record(
      parameters.map { parameter in
        switch parameter.value {
        case .single(let value): YAMLText.Field(parameter.name.text, self.value(value))
        case .array(let values): YAMLText.Field(parameter.name.text, YAMLText.list(values.map(self.value)))
        }
      })
  }

  func value(_ value: IntentValue) -> YAMLText {
    switch value {
    case .object(let identity) where !identity.display.hasBytes(of: identity.identifier):
      return .record([.init("object", .text(identity.identifier)), .init("display", .text(identity.display))])
    case .person(let identity) where !identity.display.hasBytes(of: identity.identifier):
      return .record([.init("person", .text(identity.identifier)), .init("display", .text(identity.display))])
    case .place(let place) where !place.display.isEmpty:
      return .record([.init("place", numbers(place)), .init("display", .text(place.display))])
    default: return .text(WidgetValueText.unquoted(value))
    }
  }

  private func provider(_ provider: RelevanceProvider) -> YAMLText {
    switch provider {
    case .date(let window): return self.window(window)
    case .location(let region): return .record(fields(of: region))
    case .dailyRoutine(let situation): return .text("\(situation)")
    case .other: return .text("other")
    }
  }

  private func fields(of region: PlaceRegion) -> Fields {
    let display = region.center.display
    return [.init("place", numbers(region.center)), .init("radius", .text("\(region.radius)"))]
      + (display.isEmpty ? [] : [YAMLText.Field("display", .text(display))])
  }

  /// Returns the conditions of a pin; none if it always holds.
  func fields(of pin: Pin) -> Fields {
    (pin.times.map { [YAMLText.Field("times", .text($0.text))] } ?? []) + (pin.place.map(fields(of:)) ?? [])
      + (pin.focus.map { [YAMLText.Field("focus", .text($0.text))] } ?? [])
  }

  func window(_ window: DateWindow) -> YAMLText {
    .list([.text(context.text(window.start))] + (window.end.map { [.text(context.text($0))] } ?? []))
  }

  private func numbers(_ place: Place) -> YAMLText { .list([.text("\(place.latitude)"), .text("\(place.longitude)")]) }
}
