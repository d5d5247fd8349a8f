import MarqueeCards
import Testing

/// Cards and texts that are none.
enum Sample {
  struct Invalid: CustomTestStringConvertible, Sendable {
    let text: String
    let error: String

    var testDescription: String { error }
  }

  static func reading(_ text: String) throws -> CardReading { try CardReading(Array(text.utf8)) }

  /// The error of a text, or `none`.
  static func error(_ text: String) -> String {
    do {
      _ = try CardReading(Array(text.utf8))
      return "none"
    } catch {
      return error.description
    }
  }

  static func card(_ body: String, actions: String = "") -> String {
    #"{"type": "AdaptiveCard", "version": "1.5", "body": [\#(body)], "actions": [\#(actions)]}"#
  }

  static let everything = #"""
    {"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.5",
     "fallbackText": "Bus 100 at 9:05", "body": [
      {"type": "TextBlock", "text": "Bus 100", "size": "Large", "weight": "bolder", "color": "accent",
       "isSubtle": true, "wrap": true, "maxLines": 2, "horizontalAlignment": "center"},
      {"type": "RichTextBlock", "inlines": ["to ", {"type": "TextRun", "text": "Zoo", "weight": "bolder"}]},
      {"type": "Image", "url": "data:image/png;base64,iVBORw0KGgo=", "altText": "A bus", "size": "small"},
      {"type": "Container", "style": "emphasis", "items": [{"type": "TextBlock", "text": "on time"}]},
      {"type": "ColumnSet", "columns": [
        {"width": "auto", "items": [{"type": "TextBlock", "text": "9:05"}]},
        {"width": 2, "style": "good", "items": []}, {"width": "stretch", "items": []}]},
      {"type": "FactSet", "facts": [{"title": "Stop", "value": "Alexanderplatz"}]},
      {"type": "Table", "columns": [{"width": 2}, {"width": "auto"}], "rows": [
        {"type": "TableRow", "cells": [{"type": "TableCell", "items": []}]}, {"cells": []}]},
      {"type": "ActionSet", "actions": [{"type": "Action.OpenUrl", "title": "More", "url": "https://example.com"}]},
      {"type": "Input.Toggle", "id": "isDone", "title": "Done", "value": "true",
       "data": {"intent": {"type": "Finish", "parameters": [
         {"name": "count", "values": [{"integerValue": 3}]}, {"name": "isDone", "values": [{"booleanValue": true}]}]}}}
     ], "actions": [
      {"type": "Action.OpenUrl", "title": "Map", "url": "HTTPS://example.com/map"},
      {"type": "Action.Execute", "title": "Remind me", "verb": "perform", "style": "positive", "data": {"intent": {
        "type": "Remind", "parameters": [
          {"name": "a", "values": [{"stringValue": "x"}]}, {"name": "b", "values": [{"integerValue": "-7"}]},
          {"name": "c", "values": [{"doubleValue": 0.5}]}, {"name": "d", "values": [{"boolean_value": false}]},
          {"name": "e", "values": [{"dateMs": "1700000000000"}]}, {"name": "f", "values": [{"enumCase": "y"}]},
          {"name": "g", "values": [{"object": {"identifier": "1", "display": "One"}}]},
          {"name": "h", "values": [{"place": {"latitude": 52.5, "longitude": 13.4, "display": "Berlin"}}]},
          {"name": "i", "values": [{"person": {"identifier": "2"}}]},
          {"name": "j", "isArray": true, "values": [{"stringValue": "p"}, {"stringValue": "q"}]}]}}}
     ]}
    """#

  static let invalid: [Invalid] = [
    Invalid(text: #"{"type": "Card"}"#, error: #"type: expected "AdaptiveCard""#),
    Invalid(text: #"{"type": "AdaptiveCard"}"#, error: "version: expected a string"),
    Invalid(
      text: #"{"type": "AdaptiveCard", "version": "new"}"#, error: #"version: expected a version such as "1.5""#),
    Invalid(text: card("7"), error: "body[0]: expected an element"),
    Invalid(text: card("{}"), error: "body[0].type: expected a string"),
    Invalid(text: card(#"{"type": "TextBlock", "text": 7}"#), error: "body[0].text: expected a string"),
    Invalid(
      text: card(#"{"type": "TextBlock", "text": "", "size": "huge"}"#),
      error: #"body[0].size: expected "default", "small", "medium", "large" or "extraLarge""#),
    Invalid(
      text: card(#"{"type": "TextBlock", "text": "", "maxLines": 0}"#),
      error: "body[0].maxLines: expected a positive whole number"),
    Invalid(
      text: card(#"{"type": "TextBlock", "text": "", "wrap": "yes"}"#), error: "body[0].wrap: expected true or false"),
    Invalid(
      text: card(#"{"type": "RichTextBlock", "inlines": [{"type": "TextBlock", "text": ""}]}"#),
      error: #"body[0].inlines[0].type: expected "TextRun""#),
    Invalid(
      text: card(#"{"type": "Image", "url": "data:text/html;base64,AAAA"}"#),
      error: "body[0].url: expected a Base64 data: URL of a PNG, JPEG, GIF, WebP or SVG image"),
    Invalid(
      text: card(#"{"type": "Image", "url": "data:image/png;base64,%"}"#),
      error: "body[0].url: expected a Base64 data: URL of a PNG, JPEG, GIF, WebP or SVG image"),
    Invalid(
      text: card(#"{"type": "ColumnSet", "columns": [{"width": "50px"}]}"#),
      error: #"body[0].columns[0].width: expected "auto", "stretch" or a weight"#),
    Invalid(
      text: card(#"{"type": "ColumnSet", "columns": [{"width": 0}]}"#),
      error: "body[0].columns[0].width: expected a weight from 1 to 1000"),
    Invalid(
      text: card(#"{"type": "FactSet", "facts": [{"title": "a"}]}"#),
      error: "body[0].facts[0].value: expected a string"),
    Invalid(
      text: card(#"{"type": "Table", "columns": [{}], "rows": [{"cells": [{"items": []}, {"items": []}]}]}"#),
      error: "body[0].rows[0].cells: expected at most 1 cells, one for each column"),
    Invalid(
      text: card(#"{"type": "Media", "fallback": 1}"#), error: #"body[0].fallback: expected "drop" or an object"#),
    Invalid(
      text: card("", actions: #"{"type": "Action.OpenUrl", "title": "a", "url": "http://example.com"}"#),
      error: "actions[0].url: expected an https: URL"),
    Invalid(
      text: card("", actions: #"{"type": "Action.OpenUrl", "title": " ", "url": "https://example.com"}"#),
      error: "actions[0].title: expected a text that is not blank"),
    Invalid(
      text: card("", actions: #"{"type": "Action.Execute", "title": "a", "verb": "do"}"#),
      error: #"actions[0].verb: expected "perform""#),
    Invalid(
      text: card("", actions: #"{"type": "Action.Execute", "title": "a", "verb": "perform", "data": {}}"#),
      error: "actions[0].data.intent: expected an intent"),
    Invalid(
      text: card(
        "",
        actions: #"""
          {"type": "Action.Execute", "title": "a", "verb": "perform", "data": {"intent": {"type": "A", "parameters": [
            {"name": "b", "values": [{"integerValue": 1.5}]}]}}}
          """#),
      error: "actions[0].data.intent.parameters[0].values[0].integerValue: expected a whole number of 64 bits"),
    Invalid(
      text: card(
        #"{"type": "Input.Toggle", "id": "a", "title": "b", "value": "on", "data": {"intent": {"type": "A"}}}"#),
      error: #"body[0].value: expected "true" or "false""#),
  ]
}
