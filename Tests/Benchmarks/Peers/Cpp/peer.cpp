#include "peer.h"

#include <map>

namespace {

const char usage[] =
    "usage: grpc-cpp-peer serve --listen tcp:127.0.0.1:PORT|unix:PATH\n"
    "       grpc-cpp-peer load --connect tcp:127.0.0.1:PORT|unix:PATH --payload small|timeline --message-file PATH\n"
    "                          --mode unary|stream --in-flight N --seconds S [--warm-up S] [--server PID]";

// The command-line options, each with one value.
class Options {
 public:
  Options(int count, char** arguments) {
    if (count % 2 != 0) fail(usage);
    for (int index = 0; index < count; index += 2) values_[arguments[index]] = arguments[index + 1];
  }

  std::string take(const std::string& name) {
    auto found = values_.find(name);
    if (found == values_.end()) fail(name + " is missing\n" + usage);
    auto value = found->second;
    values_.erase(found);
    return value;
  }

  double takeNumber(const std::string& name) {
    auto value = take(name);
    char* end = nullptr;
    auto number = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != 0 || !(number >= 0)) fail(name + " must be a non-negative number");
    return number;
  }

  bool has(const std::string& name) const { return values_.count(name) > 0; }

  void finish() const {
    if (!values_.empty()) fail(values_.begin()->first + " is unknown\n" + usage);
  }

 private:
  std::map<std::string, std::string> values_;
};

// Returns the gRPC target of `tcp:HOST:PORT` or `unix:PATH`.
std::string target(const std::string& endpoint) {
  if (endpoint.rfind("tcp:", 0) == 0) return "ipv4:" + endpoint.substr(4);
  if (endpoint.rfind("unix:", 0) == 0) return endpoint;
  fail("an endpoint is tcp:127.0.0.1:PORT or unix:PATH");
}

LoadOptions loadOptions(Options& options) {
  LoadOptions load;
  load.target = target(options.take("--connect"));
  load.payload = options.take("--payload");
  load.messageFile = options.take("--message-file");
  load.mode = options.take("--mode");
  load.inFlight = static_cast<int>(options.takeNumber("--in-flight"));
  load.seconds = options.takeNumber("--seconds");
  if (options.has("--server")) load.server = static_cast<int>(options.takeNumber("--server"));
  if (options.has("--warm-up")) load.warmUp = options.takeNumber("--warm-up");
  if (load.payload != "small" && load.payload != "timeline") fail("--payload must be small or timeline");
  if (load.mode != "unary" && load.mode != "stream") fail("--mode must be unary or stream");
  if (load.inFlight < 1) fail("--in-flight must be at least 1");
  return load;
}

}  // namespace

int main(int count, char** arguments) {
  std::string command = count > 1 ? arguments[1] : "";
  if (command != "serve" && command != "load") fail(usage);
  Options options(count - 2, arguments + 2);
  if (command == "serve") {
    auto endpoint = options.take("--listen");
    options.finish();
    target(endpoint);
    serve(endpoint);
  } else {
    auto values = loadOptions(options);
    options.finish();
    load(values);
  }
}
