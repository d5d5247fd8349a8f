#pragma once

#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

#include "echo.grpc.pb.h"

// The peer uses completion queues, polled by one thread on each side, because they are faster than the callback
// interface with gRPC's own threads.

using marquee::bench::v1::Echo;
using Small = marquee::bench::v1::SmallMessage;
using Timeline = marquee::bench::v1::TimelineMessage;

// The callback of a completed operation; its argument is false if the operation failed.
struct Step {
  std::function<void(bool)> done;

  static void run(void* tag, bool ok) { static_cast<Step*>(tag)->done(ok); }
};

[[noreturn]] inline void fail(const std::string& reason) {
  std::cerr << "grpc-cpp-peer: " << reason << std::endl;
  std::_Exit(1);
}

// The options of the command `load`.
struct LoadOptions {
  std::string target, payload, messageFile, mode;
  int inFlight = 0;
  double seconds = 0, warmUp = 0.5;
  // The server's process, for its CPU time; 0 for none.
  int server = 0;
};

// Serves echoes at `endpoint` until standard input ends.
void serve(const std::string& endpoint);

// Measures calls over one connection, and prints one line of JSON.
void load(const LoadOptions& options);
