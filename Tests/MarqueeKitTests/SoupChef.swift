import Foundation
import MarqueeKit

/// The app of WWDC18 211, written as the session describes it: a user activity of the order's details, the intent that
/// Xcode generates from the definition file, its donation, its handler, and the deletion of donations.
enum SoupChef {
  static let app = "com.example.soupchef"

  struct Order {
    let identifier: String
    let soup: INObject
    let quantity: Int
    let options: [INObject]

    var intent: OrderSoupIntent {
      let orderSoupIntent = OrderSoupIntent()
      orderSoupIntent.soup = soup
      orderSoupIntent.quantity = quantity
      orderSoupIntent.options = options
      return orderSoupIntent
    }
  }

  final class OrderSoupIntent: INIntent, @unchecked Sendable {
    @Parameter var soup: INObject?
    @Parameter var quantity: Int?
    @Parameter var options: [INObject]?

    override class var title: String { "Order Soup" }
    override class var category: String { "Order" }
    override class var requiresConfirmation: Bool { true }
    override class var parameterCombinations: [[String]]? {
      [["soup", "quantity", "options"], ["soup", "quantity"], ["soup", "options"], ["soup"]]
    }
  }

  struct IntentHandler: INIntentHandling {
    static let placed = Weather.Count()

    func confirm(intent: OrderSoupIntent) async -> INIntentResponse {
      guard intent.soup != nil else { return INIntentResponse(code: .failure) }
      return INIntentResponse(code: .ready)
    }

    func handle(intent: OrderSoupIntent) async -> INIntentResponse {
      _ = Self.placed.next()
      let response = INIntentResponse(code: .success)
      response.dialog = "Your soup will be ready in 10 minutes."
      return response
    }
  }

  struct Widgets: WidgetBundle {
    /// The soups of the orders that the app has shown.
    static let shown = ContinuedTransitWidgets.Log()

    static var intentHandlers: [any INIntentHandling] { [IntentHandler()] }
    static var scene: AppScene {
      AppScene()
        .onContinueUserActivity("OrderSoupIntent") { userActivity in
          guard let intent = userActivity.interaction?.intent as? OrderSoupIntent else { return }
          shown.append("order \(intent.soup?.displayString ?? "")")
        }
        .onContinueUserActivity("com.example.soupchef.viewOrder") { userActivity in
          shown.append("view \(userActivity.userInfo?["orderID"] as? String ?? "")")
        }
    }

    var body: some Widget { TodaysSoup() }
  }

  struct TodaysSoup: Widget {
    var body: some WidgetConfiguration {
      StaticConfiguration(kind: "TodaysSoup", provider: Purchases()) { _ in "Tomato" }
    }
  }

  // MARK: The view controllers

  static func viewOrder(_ order: Order) -> NSUserActivity {
    let activity = NSUserActivity(activityType: "com.example.soupchef.viewOrder")
    activity.title = "View \(order.soup.displayString)"
    activity.addUserInfoEntries(from: ["orderID": order.identifier, "scrollPosition": 79])
    activity.requiredUserInfoKeys = ["orderID"]
    activity.isEligibleForSearch = true
    activity.isEligibleForPrediction = true
    activity.isEligibleForHandoff = false
    let attributes = CSSearchableItemAttributeSet(itemContentType: "public.content")
    attributes.relatedUniqueIdentifier = order.identifier
    activity.contentAttributeSet = attributes
    activity.persistentIdentifier = NSUserActivityPersistentIdentifier(order.identifier)
    return activity
  }

  static func placeOrder(_ order: Order, completion: @escaping @Sendable ((any Error)?) -> Void) {
    let interaction = INInteraction(intent: order.intent, response: nil)
    interaction.identifier = order.identifier
    interaction.groupIdentifier = "orders"
    interaction.donate { error in completion(error) }
  }

  static func deleteOrder(_ order: Order, completion: @escaping @Sendable ((any Error)?) -> Void) {
    CSSearchableIndex.default().deleteSearchableItems(withIdentifiers: [order.identifier]) { error in
      completion(error)
    }
    INInteraction.delete(with: [order.identifier]) { error in completion(error) }
  }

  static func logOut(completion: @escaping @Sendable ((any Error)?) -> Void) {
    NSUserActivity.deleteAllSavedUserActivities { completion(nil) }
    INInteraction.deleteAll { error in completion(error) }
  }
}
