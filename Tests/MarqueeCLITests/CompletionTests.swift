import ArgumentParser
import Testing

@testable import MarqueeCLI

struct CompletionTests {
  @Test(
    "A word is unquoted as by its shell: quotes and backslashes are removed, and no command is executed",
    arguments: [
      ("phone:com.example.a/K", "phone:com.example.a/K"), (#"my\ stack"#, "my stack"), (#"K\(a=b\)"#, "K(a=b)"),
      (#""a b"#, "a b"), (#"'a\b "c"#, #"a\b "c"#), (#""a\"b\c""#, #"a"b\c"#), (#"a'b'"c"\'"#, "abc'"),
      ("$(touch x)", "$(touch x)"), ("~/x", "~/x"), (#"a\"#, "a"), ("", ""),
    ])
  func meaning(_ word: String, _ expected: String) {
    #expect(TypedLine.meaning(of: word) == expected)
  }

  @Test("Variables and a tilde are expanded from the environment, except in single quotes")
  func variables() {
    let variables = ["HOME": "/home/a", "DIR": "/run/x"]
    #expect(TypedLine.meaning(of: "~/token", variables) == "/home/a/token")
    #expect(
      TypedLine.meaning(of: #"unix:$DIR/s"${DIR}"'$DIR'\$DIR$NONE$"#, variables) == "unix:/run/x/s/run/x$DIR$DIR$")
    #expect(TypedLine.meaning(of: "$(date)", variables) == "$(date)")
  }

  @Test(
    "Options before and after the typed word are found in both notations; the typed word is not an option")
  func options() {
    let words = ["marquee", "inspect", "--server", "unix:/a\\ b", "ph", "--token-file='x y'", "--json", "--server"]
    let line = TypedLine(words: words, index: 4, prefix: "--")
    #expect(line.typed == "ph" && line.meaning == "ph")
    #expect(line.options(["--server", "--token-file"], [:]) == ["--server", "unix:/a b", "--token-file", "x y"])
    let value = TypedLine(words: ["marquee", "inspect", "--server", "un"], index: 3, prefix: "un")
    #expect(value.options(["--server"], [:]).isEmpty)
    let after = TypedLine(words: ["marquee", "inspect", "--", "--server", "x", "p"], index: 5, prefix: "p")
    #expect(after.options(["--server"], [:]).isEmpty)
  }

  @Test("The other words of a line are found without quoting, and so are values after an equals sign")
  func otherWords() {
    let words = ["marquee", "events", "my\\ phone", "--app=com.a", "--kind", "K", "a=b"]
    #expect(
      TypedLine(words: words, index: 5, prefix: "K").otherWords
        == ["marquee", "events", "my phone", "com.a", "--kind", "a=b"])
  }

  @Test("Full names are offered first, then unambiguous short names, then all names")
  func offers() {
    let forms = [["phone/home", "phone/work", "tablet/home"], ["home", "work", "home"]]
    #expect(NameCompletion.offers(forms, for: "") == forms[0])
    #expect(NameCompletion.offers(forms, for: "phone/w") == ["phone/work"])
    #expect(NameCompletion.offers(forms, for: "wo") == ["work"])
    #expect(NameCompletion.offers(forms, for: "ho") == forms[0])
    #expect(NameCompletion.offers([["a\u{1B}[2J", "b\nc", "d"]], for: "") == ["d"])
    #expect(NameCompletion.offers([[]], for: "").isEmpty)
  }

  @Test("Names are quoted for the completion script of each shell")
  func quoted() {
    let name = #"phone:a/K(t="it's $(x) \ y")"#
    #expect(CompletionShell.bash.quoted(name) == #"'phone:a/K(t="it'\''s $(x) \ y")'"#)
    #expect(CompletionShell.zsh.quoted(name) == #"phone\:a/K(t="it's $(x) \\ y")"#)
    #expect(CompletionShell.fish.quoted(name) == name)
  }
}
