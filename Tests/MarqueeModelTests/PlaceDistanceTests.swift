import Foundation
import MarqueeModel
import Testing

@Suite struct PlaceDistanceTests {
  private func place(_ latitude: Double, _ longitude: Double) throws -> Place {
    try Place(latitude: latitude, longitude: longitude, display: "")
  }

  @Test("R8 Sine, cosine and arc sine match the system's to the last digits, from -π to π")
  func sines() {
    for step in -1_000...1_000 {
      let angle = Double(step) / 1_000 * .pi
      #expect(abs(angle.sine - sin(angle)) < 5e-16, "sine of \(angle)")
      #expect(abs(angle.cosine - cos(angle)) < 5e-16, "cosine of \(angle)")
    }
    for step in 0...10_000 {
      let sine = Double(step) / 10_000
      #expect(abs(sine.arcSine - asin(sine)) < 1e-15, "arc sine of \(sine)")
    }
  }

  @Test("S5 Distances are great-circle distances, from a metre to half of Earth's circumference")
  func distances() throws {
    let half = Place.earthRadius * .pi
    // On the other side of Earth the sine is flat, and the last places of the haversine are meters.
    #expect(try abs(place(0, 0).distance(to: place(0, 180)) - half) < 1)
    #expect(try abs(place(90, 0).distance(to: place(-90, 77)) - half) < 1)
    #expect(try abs(place(0, -179.5).distance(to: place(0, 179.5)) - half / 180) < 1e-6)
    #expect(try place(52.5, 13.4).distance(to: place(52.5, 13.4)) == 0)
    // Paris to London: 343.5 km by the haversine of any table.
    #expect(try abs(place(48.8566, 2.3522).distance(to: place(51.5074, -0.1278)) - 343_557) < 100)
    let metre = 180 / half
    #expect(try abs(place(60, 10).distance(to: place(60 + metre, 10)) - 1) < 1e-6)
    #expect(try abs(place(60, 10).distance(to: place(60, 10 + 2 * metre)) - 1) < 1e-6)
  }

  @Test("S5 A region contains the places within its radius, and the largest region contains all places")
  func regions() throws {
    let middle = try place(48.8566, 2.3522)
    let near = try place(48.8567, 2.3522)
    let distance = middle.distance(to: near)
    #expect(try PlaceRegion(center: middle, radius: distance).contains(near))
    #expect(try !PlaceRegion(center: middle, radius: distance.nextDown).contains(near))
    #expect(try PlaceRegion(center: middle, radius: PlaceRegion.radiusMax).contains(place(-48.8566, -177.6478)))
  }
}
