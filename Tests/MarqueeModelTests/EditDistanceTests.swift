import Testing

@testable import MarqueeModel

struct EditDistanceTests {
  @Test("Insertions, deletions, replacements and swaps of neighbours each cost one")
  func eachEditCostsOne() {
    #expect(EditDistance.between("home", "home") == 0)
    #expect(EditDistance.between("home", "hoem") == 1)
    #expect(EditDistance.between("home", "hme") == 1)
    #expect(EditDistance.between("home", "homme") == 1)
    #expect(EditDistance.between("home", "hope") == 1)
    #expect(EditDistance.between("", "abc") == 3)
    #expect(EditDistance.between("kitten", "sitting") == 3)
  }

  @Test("Distant names are not suggested, and the nearest comes first")
  func nearestFirst() {
    let names = ["calendar", "calender-old", "weather", "Kitchen"]
    #expect(EditDistance.nearest(to: "calandar", among: names) == ["calendar"])
    #expect(EditDistance.nearest(to: "kitchne", among: names) == ["Kitchen"])
    #expect(EditDistance.nearest(to: "zzz", among: names).isEmpty)
    #expect(EditDistance.nearest(to: "ab", among: ["abc", "ab", "b", "a", "x"]).first == "ab")
    #expect(EditDistance.nearest(to: "ab", among: ["abc", "ab", "b", "a", "x"]).count == 3)
  }
}
