import MarqueeModel
import MarqueeScheduler
import Testing

/// The days described in WWDC21 10049.
@Suite struct CardsDayTests {
  @Test("R2 The Cards app's day, scores by amount: the first purchase brings the widget to the front, and it stays")
  func linear() throws {
    try play(
      """
      0:00 stack home notes cards
       publish cards 8:15=0 9:41=52.6 12:15=16.29 14:12=140 18:52=12.5
      9:40 score? cards
      9:41 score? cards
      12:15 score? cards
      14:12 score? cards
      18:52 score? cards
      24:00 stack? home
      ----
      9:40 score cards 0.0 of 140.0
      9:41 rotate home notes > cards
      9:41 score cards 52.6 of 140.0
      12:15 score cards 16.29 of 140.0
      14:12 score cards 140.0 of 140.0
      18:52 score cards 12.5 of 140.0
      24:00 stack home notes [cards]
      """)
  }

  @Test("T6 Against a rival with a medium score, only the shopping spree brings the Cards widget to the front")
  func rival() throws {
    try play(
      """
      0:00 stack home notes cards news
       publish cards 8:15=0 9:41=52.6 12:15=16.29 14:12=140 18:52=12.5
       publish news 0:00=5 48:00=10
      24:00 end
      ----
      0:00 rotate home notes > news
      14:12 rotate home news > cards
      18:52 rotate home cards > news
      """)
  }

  @Test("T3 The Cards app's day with scores of 50, 1 and 0 has the highest score from 9:41 to 18:52")
  func steps() throws {
    try play(
      """
      0:00 stack home notes cards
       publish cards 8:15=0 9:41=50 12:15=- 14:12=50 18:52=1
      9:41 score? cards
      12:30 score? cards
      18:51:59 score? cards
      18:52 score? cards
      24:00 end
      ----
      9:41 rotate home notes > cards
      9:41 score cards 50.0 of 50.0
      12:30 score cards 50.0 of 50.0
      18:51:59 score cards 50.0 of 50.0
      18:52 score cards 1.0 of 50.0
      """)
  }

  @Test("T3 With half an hour for each purchase the widget is eligible for half an hour after each")
  func halfHours() throws {
    let (moments, scores) = (["9:41", "12:15", "14:12", "18:52"], [50, 1, 50, 1])
    let entries = zip(moments, scores).map { "\($0)=\($1)/30m" }.joined(separator: " ")
    try play(
      """
      0:00 publish cards 8:15=0/30m \(entries)
      9:40 score? cards
      10:10:59 score? cards
      10:11 score? cards
      12:15 score? cards
      12:45 score? cards
      14:41:59 score? cards
      14:42 score? cards
      19:21:59 score? cards
      19:22 score? cards
      ----
      9:40 score cards 0.0 of 50.0
      10:10:59 score cards 50.0 of 50.0
      10:11 score cards 0.0 of 50.0
      12:15 score cards 1.0 of 50.0
      12:45 score cards 0.0 of 50.0
      14:41:59 score cards 50.0 of 50.0
      14:42 score cards 0.0 of 50.0
      19:21:59 score cards 1.0 of 50.0
      19:22 score cards 0.0 of 50.0
      """)
  }

  @Test("R2 A stack shows weather in the morning, the meeting, the reminder, and weather again in the evening")
  func stack() throws {
    try play(
      """
      0:00 stack home calendar reminders weather
       publish weather 7:00=5/2h 18:30=8/2h
       publish calendar 9:30=10/30m
       publish reminders 15:00=1/1h
      6:59 stack? home
      7:00 stack? home
      9:30 stack? home
      15:00 stack? home
      18:30 stack? home
      24:00 stack? home
      ----
      6:59 stack home [calendar] reminders weather
      7:00 rotate home calendar > weather
      7:00 stack home calendar reminders [weather]
      9:30 rotate home weather > calendar
      9:30 stack home [calendar] reminders weather
      15:00 rotate home calendar > reminders
      15:00 stack home calendar [reminders] weather
      18:30 rotate home reminders > weather
      18:30 stack home calendar reminders [weather]
      24:00 stack home calendar reminders [weather]
      """)
  }
}
