import ArgumentParser
import Dispatch

/// Begins without a task for the kernels: valgrind (3.19) does not survive what a main task does to the main thread.
@main
enum Program {
  static func main() {
    if CommandLine.arguments.dropFirst().first == KernelCommand.configuration.commandName {
      return KernelCommand.main(Array(CommandLine.arguments.dropFirst(2)))
    }
    Task {
      await MarqueeBench.main()
      MarqueeBench.exit()
    }
    dispatchMain()
  }
}
