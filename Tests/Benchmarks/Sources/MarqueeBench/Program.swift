import ArgumentParser
import Dispatch

/// Runs the kernels outside a task: valgrind 3.19 does not support an asynchronous `main` function.
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
