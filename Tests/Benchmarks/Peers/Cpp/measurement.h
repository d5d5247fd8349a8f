#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;

// Returns the user and system CPU time of a process, in seconds; 0 stands for this process.
inline double cpuSeconds(int process) {
  clockid_t clock;
  timespec time;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return NAN;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// A histogram of durations in bounded memory, with a relative error of at most 0.4 %.
//
// Up to 256 ns, every nanosecond has a bucket; above, each power of two is divided into 128 buckets.
class Histogram {
 public:
  void record(Clock::duration duration) {
    auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
    buckets_[bucket(std::min(static_cast<uint64_t>(nanoseconds), nanosecondsMax))] += 1;
    count_ += 1;
  }

  uint64_t count() const { return count_; }

  // Returns the quantile at `share`, in microseconds; 0 if no duration was recorded.
  double microseconds(double share) const {
    auto rank = std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_))));
    uint64_t passed = 0;
    for (size_t index = 0; index < buckets_.size(); ++index) {
      passed += buckets_[index];
      if (passed >= rank) return middle(index) / 1e3;
    }
    return 0;
  }

 private:
  static constexpr uint64_t bucketsPerDoubling = 128;
  // About 18 minutes; longer durations are clamped.
  static constexpr uint64_t nanosecondsMax = uint64_t{1} << 40;

  static size_t bucket(uint64_t nanoseconds) {
    uint64_t shift = 0;
    while ((nanoseconds >> shift) >= 2 * bucketsPerDoubling) shift += 1;
    return shift * bucketsPerDoubling + (nanoseconds >> shift);
  }

  static double middle(size_t bucket) {
    uint64_t shift = bucket < 2 * bucketsPerDoubling ? 0 : bucket / bucketsPerDoubling - 1;
    uint64_t least = (bucket - shift * bucketsPerDoubling) << shift;
    return static_cast<double>(least) + static_cast<double>((uint64_t{1} << shift) - 1) / 2;
  }

  std::vector<uint64_t> buckets_ = std::vector<uint64_t>(bucket(nanosecondsMax) + 1);
  uint64_t count_ = 0;
};

// Measures calls from the first one that ends after the warm-up until the first one that ends after the measured time.
// Used on one thread.
class Measurement {
 public:
  // Starts the warm-up; `server` is the server's process, 0 for none.
  Measurement(double warmUp, double seconds, int server)
      : server_(server), start_(Clock::now() + length(warmUp)), end_(start_ + length(seconds)) {}

  // Records a call that has ended now; returns false once the measurement is over.
  bool record(Clock::time_point began) {
    if (isOver_) return false;
    auto now = Clock::now();
    if (now < start_) return true;
    if (!hasBegun_) {
      hasBegun_ = true;
      first_ = edge(now);
      return true;
    }
    histogram_.record(now - began);
    if (now < end_) return true;
    isOver_ = true;
    last_ = edge(now);
    return false;
  }

  bool isOver() const { return isOver_; }

  // Returns the result as one line of JSON. The measurement must be over.
  std::string json() const {
    char line[256], server[64] = "";
    if (server_ != 0) {
      std::snprintf(server, sizeof server, R"(,"server_cpu_seconds":%.3f)", last_.serverCPU - first_.serverCPU);
    }
    std::snprintf(
        line, sizeof line, R"({"calls":%llu,"seconds":%.3f,"p50_us":%.3f,"p99_us":%.3f,"cpu_seconds":%.3f%s})",
        static_cast<unsigned long long>(histogram_.count()),
        std::chrono::duration<double>(last_.instant - first_.instant).count(), histogram_.microseconds(0.5),
        histogram_.microseconds(0.99), last_.cpu - first_.cpu, server);
    return line;
  }

 private:
  // An instant, with the CPU times of this process and of the server's until then.
  struct Edge {
    Clock::time_point instant;
    double cpu = 0, serverCPU = 0;
  };

  Edge edge(Clock::time_point now) const {
    return {now, cpuSeconds(0), server_ == 0 ? 0 : cpuSeconds(server_)};
  }

  static Clock::duration length(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  Histogram histogram_;
  int server_;
  Clock::time_point start_, end_;
  Edge first_, last_;
  bool hasBegun_ = false, isOver_ = false;
};
