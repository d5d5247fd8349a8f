internal import CMarqueeProtos

// Messages about placed widgets.

extension Marquee__V1__ListPlacedWidgetsRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__list_placed_widgets_request__init }
}

extension Marquee__V1__ListPlacedWidgetsResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__list_placed_widgets_response__init }
}

extension Marquee__V1__PlacedWidget: CMessage {
  static var initialise: Initialiser { marquee__v1__placed_widget__init }
}

extension Marquee__V1__RequestReloadRequest: CMessage {
  static var initialise: Initialiser { marquee__v1__request_reload_request__init }
}

extension Marquee__V1__RequestReloadResponse: CMessage {
  static var initialise: Initialiser { marquee__v1__request_reload_response__init }
}

extension Marquee__V1__WidgetsPlaced: CMessage {
  static var initialise: Initialiser { marquee__v1__widgets_placed__init }
}
