import Glibc

/// The CPU time that this process has taken so far, in user and system mode.
public func cpuTime() -> Duration {
  var time = timespec()
  let code = clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  precondition(code == 0, "there is no clock of CPU time")
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
