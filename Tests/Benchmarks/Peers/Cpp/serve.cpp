#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <deque>
#include <memory>
#include <thread>

#include "peer.h"

namespace {

using Queue = grpc::ServerCompletionQueue;

// The number of calls per method that can be accepted before the queue is polled again.
const int waitingCount = 64;

// A unary call, from its arrival to its response. On arrival it creates the object for the next call.
template <class Message, auto request>
class UnaryCall {
 public:
  UnaryCall(Echo::AsyncService* service, Queue* queue) : service_(service), queue_(queue) {
    (service_->*request)(&context_, &message_, &responder_, queue_, queue_, &arrived_);
  }

 private:
  void arrive(bool ok) {
    if (!ok) return delete this;
    new UnaryCall(service_, queue_);
    responder_.Finish(message_, grpc::Status::OK, &finished_);
  }

  Echo::AsyncService* service_;
  Queue* queue_;
  grpc::ServerContext context_;
  Message message_;
  grpc::ServerAsyncResponseWriter<Message> responder_{&context_};
  Step arrived_{[this](bool ok) { arrive(ok); }};
  Step finished_{[this](bool) { delete this; }};
};

// A bidirectional call that reads and writes concurrently, with at most `unsentMax` unsent messages.
template <class Message, auto request>
class StreamCall {
 public:
  StreamCall(Echo::AsyncService* service, Queue* queue) : service_(service), queue_(queue) {
    (service_->*request)(&context_, &stream_, queue_, queue_, &arrived_);
  }

 private:
  static constexpr size_t unsentMax = 256;

  void arrive(bool ok) {
    if (!ok) return delete this;
    new StreamCall(service_, queue_);
    goOn();
  }

  void takeIn(bool ok) {
    isReading_ = false;
    hasEnded_ = !ok;
    if (ok) unsent_.push_back(std::move(message_));
    goOn();
  }

  void sent(bool ok) {
    isWriting_ = false;
    hasFailed_ = hasFailed_ || !ok;
    goOn();
  }

  void goOn() {
    if (!hasEnded_ && !isReading_ && unsent_.size() < unsentMax) {
      isReading_ = true;
      stream_.Read(&message_, &taken_);
    }
    if (hasFailed_) unsent_.clear();
    if (isWriting_) return;
    if (!unsent_.empty()) {
      isWriting_ = true;
      auto options = grpc::WriteOptions();
      if (unsent_.size() > 1) options.set_buffer_hint();
      // A message is serialized before Write returns.
      stream_.Write(unsent_.front(), options, &sent_);
      unsent_.pop_front();
    } else if (hasEnded_) {
      stream_.Finish(grpc::Status::OK, &finished_);
    }
  }

  Echo::AsyncService* service_;
  Queue* queue_;
  grpc::ServerContext context_;
  grpc::ServerAsyncReaderWriter<Message, Message> stream_{&context_};
  Message message_;
  std::deque<Message> unsent_;
  bool isReading_ = false, isWriting_ = false, hasEnded_ = false, hasFailed_ = false;
  Step arrived_{[this](bool ok) { arrive(ok); }};
  Step taken_{[this](bool ok) { takeIn(ok); }};
  Step sent_{[this](bool ok) { sent(ok); }};
  Step finished_{[this](bool) { delete this; }};
};

void waitForStandardInput() {
  char bytes[256];
  while (read(STDIN_FILENO, bytes, sizeof bytes) > 0) {
  }
}

}  // namespace

void serve(const std::string& endpoint) {
  Echo::AsyncService service;
  grpc::ServerBuilder builder;
  bool isTCP = endpoint.rfind("tcp:", 0) == 0;
  int port = 0;
  builder.AddListeningPort(isTCP ? endpoint.substr(4) : endpoint, grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  auto queue = builder.AddCompletionQueue();
  auto server = builder.BuildAndStart();
  if (!server) fail("cannot listen on " + endpoint);
  for (int count = 0; count < waitingCount; ++count) {
    new UnaryCall<Small, &Echo::AsyncService::RequestSmall>(&service, queue.get());
    new UnaryCall<Timeline, &Echo::AsyncService::RequestTimeline>(&service, queue.get());
  }
  new StreamCall<Small, &Echo::AsyncService::RequestSmallStream>(&service, queue.get());
  new StreamCall<Timeline, &Echo::AsyncService::RequestTimelineStream>(&service, queue.get());
  auto bound = isTCP ? endpoint.substr(0, endpoint.rfind(':') + 1) + std::to_string(port) : endpoint;
  std::cout << "listening " << bound << std::endl;

  std::thread stop([&] {
    waitForStandardInput();
    server->Shutdown(std::chrono::system_clock::now());
    queue->Shutdown();
  });
  void* tag;
  bool ok;
  while (queue->Next(&tag, &ok)) Step::run(tag, ok);
  stop.join();
}
