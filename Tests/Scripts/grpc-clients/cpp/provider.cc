// A provider: registers a widget kind, and publishes a timeline whenever the server requests one.
// Usage: provider ADDRESS [TOKEN-FILE ROOTS-FILE]
#include <chrono>

#include "connection.h"
#include "marquee/v1/provider.grpc.pb.h"

using namespace marquee::v1;
using std::chrono::duration_cast, std::chrono::milliseconds, std::chrono::system_clock;

int main(int count, char** arguments) {
  auto provider = Provider::NewStub(connect(count, arguments));
  RegisterKindsRequest kinds;
  kinds.set_device("kitchen");
  kinds.set_app("com.example.weather");
  auto* kind = kinds.add_kinds();
  kind->set_name("Forecast");
  kind->set_display_name("Forecast");
  kind->add_families(WIDGET_FAMILY_SYSTEM_SMALL);
  grpc::ClientContext registration;
  RegisterKindsResponse registered;
  if (auto status = provider->RegisterKinds(&registration, kinds, &registered); !status.ok()) return report(status);

  grpc::ClientContext context;
  auto stream = provider->Provide(&context);
  ProviderMessage attach;
  attach.mutable_attach()->set_device("kitchen");
  attach.mutable_attach()->set_app("com.example.weather");
  stream->Write(attach);
  uint64_t number = 0;
  for (ProviderEvent event; stream->Read(&event);) {
    if (event.has_attached()) std::cout << "attached" << std::endl;
    if (event.has_reload()) {
      ProviderMessage message;
      auto* timeline = message.mutable_timeline();
      timeline->set_publish_id(++number);
      *timeline->mutable_widget() = event.reload().widget();
      auto* entry = timeline->add_entries();
      entry->set_date_ms(duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
      entry->mutable_relevance()->set_score(50);
      entry->mutable_relevance()->set_duration_ms(3'600'000);
      entry->mutable_content()->set_media_type("text/plain");
      entry->mutable_content()->set_data("Rain until noon");
      timeline->mutable_policy()->set_never(true);
      timeline->set_commit(true);
      stream->Write(message);
    }
    if (event.has_accepted()) std::cout << "accepted " << event.accepted().publish_id() << std::endl;
    if (event.has_rejected()) std::cout << "rejected " << event.rejected().message() << std::endl;
  }
  return report(stream->Finish());
}
