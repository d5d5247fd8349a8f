import Testing

@testable import MarqueeCLI

struct PhraseCommandTests {
  @Test("Arguments are quoted for a shell, and arguments that begin with a dash are not read as options")
  func arguments() {
    #expect(PhraseCommand.shellArguments(["phone", "a.b/C()"]) == "phone 'a.b/C()'")
    #expect(PhraseCommand.shellArguments(["-x", "it's"]) == "-- -x 'it'\\''s'")
  }
}
