#pragma once

#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

#include "echo.grpc.pb.h"

// Built on completion queues, polled by one thread on each side. The callback interface, whose threads are gRPC's own,
// was slower: with 128 bytes over TCP on two busy cores it made 13 415 calls/s one at a time (median 63 µs) against
// 28 438 (33 µs), and with 64 under way took 14.1 µs of the client's CPU time a call against 12.3.

using marquee::bench::v1::Echo;
using Small = marquee::bench::v1::SmallMessage;
using Timeline = marquee::bench::v1::TimelineMessage;

// What a completion queue is to call when an operation has ended; false where the operation failed.
struct Step {
  std::function<void(bool)> done;

  static void run(void* tag, bool ok) { static_cast<Step*>(tag)->done(ok); }
};

[[noreturn]] inline void fail(const std::string& reason) {
  std::cerr << "grpc-cpp-peer: " << reason << std::endl;
  std::_Exit(1);
}

// What the command line says of a load.
struct LoadOptions {
  std::string target, payload, messageFile, mode;
  int inFlight = 0;
  double seconds = 0, warmUp = 0.5;
  // The process that answers, for its CPU time; 0 for none.
  int server = 0;
};

// Serves echoes at `endpoint` until standard input ends.
void serve(const std::string& endpoint);

// Measures calls over one connection, and prints one line of JSON.
void load(const LoadOptions& options);
