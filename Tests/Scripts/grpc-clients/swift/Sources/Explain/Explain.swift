import Connection

/// An operator: asks why a stack shows its front, and what keeps a widget from the front.
@main
struct Explain {
  static func main() async {
    await Connection.open { client in
      let admin = Marquee_V1_Admin.Client(wrapping: client)
      let stack = try await admin.explain(.with { ($0.device, $0.stack) = ("kitchen", "home") }).explanation
      print("front \(stack.front.kind.app)/\(stack.front.kind.name)")
      print("explanation", stack.summary)
      let answer = try await admin.whyNot(
        .with { ($0.device, $0.stack, $0.widget) = ("kitchen", "home", stack.front) })
      print("why not:", answer.summary)
    }
  }
}
