// A display: adds a widget to a stack, watches the stack, and reports a tap on the first content that it shows.
// Usage: display ADDRESS [TOKEN-FILE ROOTS-FILE]
#include "connection.h"
#include "marquee/v1/display.grpc.pb.h"

using namespace marquee::v1;

int main(int count, char** arguments) {
  auto display = Display::NewStub(connect(count, arguments));
  Widget widget;
  widget.mutable_kind()->set_app("com.example.weather");
  widget.mutable_kind()->set_name("Forecast");
  auto send = [&](const ReportRequest& report) {
    grpc::ClientContext context;
    ReportResponse response;
    return display->Report(&context, report, &response);
  };

  grpc::ClientContext context;
  WatchRequest watch;
  watch.set_device("kitchen");
  auto updates = display->Watch(&context, watch);
  for (DisplayUpdate update; updates->Read(&update);) {
    if (update.has_state()) {
      std::cout << "watching";
      for (auto& stack : update.state().stacks()) std::cout << " ['" << stack.id() << "']" << std::endl;
      ReportRequest shown;
      shown.set_device("kitchen");
      shown.set_stack_shown("home");
      if (auto status = send(shown); !status.ok()) return report(status);
      grpc::ClientContext edit;
      EditStackRequest request;
      request.set_device("kitchen");
      request.set_stack("home");
      *request.mutable_add()->mutable_widget() = widget;
      EditStackResponse response;
      if (auto status = display->EditStack(&edit, request, &response); !status.ok()) return report(status);
    } else if (update.has_entry() && update.entry().has_entry()) {
      std::cout << "shows " << update.entry().entry().content().data() << std::endl;
      ReportRequest tap;
      tap.set_device("kitchen");
      tap.mutable_tapped()->set_stack("home");
      *tap.mutable_tapped()->mutable_widget() = widget;
      return report(send(tap));
    }
  }
  return report(updates->Finish());
}
