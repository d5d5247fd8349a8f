import ArgumentParser
import MarqueeModel

/// The options for where a published widget is shown.
struct PlacementOptions: ParsableArguments {
  @Option(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  @Option(help: "Add the widget to this stack of the device, unless it is a member.", completion: .stackNames)
  var stack: String?

  @Option(help: "The family that the content is made for; defaults to all families of the kind.")
  var family: WidgetFamily?
}
