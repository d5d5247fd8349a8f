// An operator: asks why a stack shows its front, and why it does not show a widget.
// Usage: explain ADDRESS [TOKEN-FILE ROOTS-FILE]
#include "connection.h"
#include "marquee/v1/admin.grpc.pb.h"

using namespace marquee::v1;

int main(int count, char** arguments) {
  auto admin = Admin::NewStub(connect(count, arguments));
  ExplainRequest request;
  request.set_device("kitchen");
  request.set_stack("home");
  ExplainResponse explained;
  grpc::ClientContext first;
  if (auto status = admin->Explain(&first, request, &explained); !status.ok()) return report(status);
  auto& front = explained.explanation().front();
  std::cout << "front " << front.kind().app() << "/" << front.kind().name() << std::endl;

  WhyNotRequest question;
  question.set_device("kitchen");
  question.set_stack("home");
  *question.mutable_widget() = front;
  WhyNotResponse answer;
  grpc::ClientContext second;
  auto status = admin->WhyNot(&second, question, &answer);
  if (status.ok()) std::cout << "why not: " << answer.summary() << std::endl;
  return report(status);
}
