import Glibc

/// Returns the CPU time of a process, by default this one, so far, in user and system mode.
public func cpuTime(of process: Int32 = 0) -> Duration {
  var clock = clockid_t()
  precondition(clock_getcpuclockid(process, &clock) == 0, "there is no process \(process)")
  var time = timespec()
  let code = clock_gettime(clock, &time)
  precondition(code == 0, "there is no clock of CPU time")
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
