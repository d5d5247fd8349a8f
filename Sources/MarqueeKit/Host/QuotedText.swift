import MarqueeModel

/// Returns a value's description for one log line: truncated, and without terminal control characters.
func quoted(_ value: Any) -> String { "\(value)".visible(sizeMax: 1_024) }
