#include <grpcpp/grpcpp.h>

#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include "measurement.h"
#include "peer.h"

namespace {

// Returns whether `answer` is likely the echo of `sent`. Cheap, so that it does not affect the measurement.
bool resembles(const Small& sent, const Small& answer) { return sent.service() == answer.service(); }

bool resembles(const Timeline& sentMessage, const Timeline& answerMessage) {
  const auto& sent = sentMessage.timeline();
  const auto& answer = answerMessage.timeline();
  auto count = sent.entries_size();
  return sent.publish_id() == answer.publish_id() && sent.commit() == answer.commit() &&
         count == answer.entries_size() &&
         (count == 0 || sent.entries(count - 1).content().data() == answer.entries(count - 1).content().data());
}

template <class Message>
void check(const Message& sent, const Message& answer) {
  if (!resembles(sent, answer)) fail("the echo differs from the message");
}

void checkStatus(const grpc::Status& status) {
  if (!status.ok()) fail("a call failed: " + std::to_string(status.error_code()) + " " + status.error_message());
}

void addMetadata(grpc::ClientContext& context) {
  context.AddMetadata("x-request-id", "0123456789abcdef");
  context.AddMetadata("x-client", "bench");
}

// Makes sequential unary calls until the measurement is over. The last of the `busy` callers then shuts down the queue.
template <class Message, auto call>
class UnaryCaller {
 public:
  UnaryCaller(
      Echo::Stub* stub, grpc::CompletionQueue* queue, const Message* message, int* busy, Measurement* measurement)
      : stub_(stub), queue_(queue), message_(message), busy_(busy), measurement_(measurement) {
    *busy_ += 1;
    start();
  }

 private:
  void start() {
    began_ = Clock::now();
    context_.emplace();
    addMetadata(*context_);
    context_->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    reader_ = (stub_->*call)(&*context_, *message_, queue_);
    reader_->Finish(&answer_, &status_, &finished_);
  }

  void finish() {
    checkStatus(status_);
    check(*message_, answer_);
    if (measurement_->record(began_)) return start();
    *busy_ -= 1;
    if (*busy_ == 0) queue_->Shutdown();
  }

  Echo::Stub* stub_;
  grpc::CompletionQueue* queue_;
  const Message* message_;
  int* busy_;
  Measurement* measurement_;
  Clock::time_point began_;
  std::optional<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Message>> reader_;
  Message answer_;
  grpc::Status status_;
  Step finished_{[this](bool) { finish(); }};
};

// A bidirectional call with `inFlight` messages in flight until the measurement is over. It shuts down the queue at its
// end.
template <class Message, auto call>
class StreamCaller {
 public:
  StreamCaller(
      Echo::Stub* stub, grpc::CompletionQueue* queue, const Message* message, int inFlight, Measurement* measurement)
      : queue_(queue), message_(message), measurement_(measurement), unsent_(inFlight) {
    addMetadata(context_);
    stream_ = (stub->*call)(&context_, queue, &started_);
  }

 private:
  void start(bool ok) {
    if (!ok) return finish();
    stream_->Read(&answer_, &answered_);
    goOn();
  }

  void sent(bool ok) {
    isWriting_ = false;
    if (ok) goOn();
  }

  void takeIn(bool ok) {
    if (!ok) return finish();
    check(*message_, answer_);
    auto began = starts_.front();
    starts_.pop_front();
    if (measurement_->record(began)) {
      unsent_ += 1;
    } else {
      unsent_ = 0;
    }
    stream_->Read(&answer_, &answered_);
    goOn();
  }

  void goOn() {
    if (isWriting_) return;
    if (unsent_ > 0) {
      isWriting_ = true;
      unsent_ -= 1;
      starts_.push_back(Clock::now());
      auto options = grpc::WriteOptions();
      if (unsent_ > 0) options.set_buffer_hint();
      stream_->Write(*message_, options, &sent_);
    } else if (measurement_->isOver() && !isDone_) {
      isDone_ = true;
      stream_->WritesDone(&done_);
    }
  }

  void finish() { stream_->Finish(&status_, &finished_); }

  void end() {
    checkStatus(status_);
    if (!measurement_->isOver()) fail("the server ended the call too early");
    queue_->Shutdown();
  }

  grpc::CompletionQueue* queue_;
  const Message* message_;
  Measurement* measurement_;
  int unsent_;
  bool isWriting_ = false, isDone_ = false;
  std::deque<Clock::time_point> starts_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<Message, Message>> stream_;
  Message answer_;
  grpc::Status status_;
  Step started_{[this](bool ok) { start(ok); }};
  Step answered_{[this](bool ok) { takeIn(ok); }};
  Step sent_{[this](bool ok) { sent(ok); }};
  Step done_{[](bool) {}};
  Step finished_{[this](bool) { end(); }};
};

template <class Message>
Message readMessage(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Message message;
  if (!file || !message.ParseFromString(bytes)) fail(path + " does not contain a valid message");
  return message;
}

// `unary` and `stream` are the functions of the stub that start calls.
template <class Message, auto unary, auto stream>
void measure(const LoadOptions& options) {
  auto message = readMessage<Message>(options.messageFile);
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  auto channel = grpc::CreateCustomChannel(options.target, grpc::InsecureChannelCredentials(), arguments);
  auto stub = Echo::NewStub(channel);
  grpc::CompletionQueue queue;
  Measurement measurement(options.warmUp, options.seconds, options.server);
  int busy = 0;
  std::deque<UnaryCaller<Message, unary>> callers;
  std::optional<StreamCaller<Message, stream>> caller;
  if (options.mode == "stream") {
    caller.emplace(stub.get(), &queue, &message, options.inFlight, &measurement);
  } else {
    for (int count = 0; count < options.inFlight; ++count) {
      callers.emplace_back(stub.get(), &queue, &message, &busy, &measurement);
    }
  }
  void* tag;
  bool ok;
  while (queue.Next(&tag, &ok)) Step::run(tag, ok);
  std::cout << measurement.json() << std::endl;
}

}  // namespace

void load(const LoadOptions& options) {
  if (options.payload == "small") {
    measure<Small, &Echo::Stub::AsyncSmall, &Echo::Stub::AsyncSmallStream>(options);
  } else {
    measure<Timeline, &Echo::Stub::AsyncTimeline, &Echo::Stub::AsyncTimelineStream>(options);
  }
}
