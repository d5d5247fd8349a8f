import MarqueeRuntime
import MarqueeStore

extension Store: DeviceJournal {}
