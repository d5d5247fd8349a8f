import CLibFuzzer
import FuzzTargets
import Glibc

/// Feeds one target with bytes that libFuzzer makes up: `Fuzzer TARGET [OPTIONS OF libFuzzer] [CORPUS...]`.
@main
enum Fuzzer {
  /// What libFuzzer's callback, which carries no context, is to feed.
  nonisolated(unsafe) private static var target = FuzzTarget.frames

  static func main() {
    guard CommandLine.arguments.count > 1, let target = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
      print("Name one of: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
      exit(64)
    }
    self.target = target
    // libFuzzer is not told of the target's name.
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
    arguments?[0] = CommandLine.unsafeArgv[0]
    var count = CommandLine.argc - 1
    let status = LLVMFuzzerRunDriver(&count, &arguments) { start, count in
      _ = Fuzzer.target.run(UnsafeRawBufferPointer(start: start, count: count))
      return 0
    }
    exit(status)
  }
}
