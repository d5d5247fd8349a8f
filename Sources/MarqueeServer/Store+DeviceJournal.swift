import MarqueeRuntime
import MarqueeStore

/// The store is the runtime's journal as it is.
extension Store: DeviceJournal {}
