public import MarqueeModel

extension MemberState {
  /// Creates a state from a status and the group of its timeline, dropping the content.
  public init(_ status: MemberStatus, group: GroupName? = nil) {
    self.init(
      widget: status.widget, relevance: status.relevance,
      current: status.current.map {
        CurrentEntryInfo(
          date: $0.date, mediaType: $0.content.mediaType, contentSize: $0.content.bytes.count, expiry: status.expiry,
          isPrivate: $0.details.isPrivate)
      },
      entryCount: status.entryCount, reachedCount: status.reachedCount, reload: status.reload, group: group)
  }
}
