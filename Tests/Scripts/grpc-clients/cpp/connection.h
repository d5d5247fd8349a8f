// Connects to a Marquee server: ADDRESS [TOKEN-FILE ROOTS-FILE] are the arguments of each client.
#pragma once

#include <grpcpp/grpcpp.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

inline std::string read_file(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns a channel: in plain text, or with TLS and a bearer token on every call.
inline std::shared_ptr<grpc::Channel> connect(int count, char** arguments) {
  if (count < 4) return grpc::CreateChannel(arguments[1], grpc::InsecureChannelCredentials());
  std::string token = read_file(arguments[2]);
  token.erase(token.find_last_not_of("\n") + 1);
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = read_file(arguments[3]);
  grpc::ChannelArguments options;
  options.SetSslTargetNameOverride("localhost");
  auto credentials = grpc::CompositeChannelCredentials(
      grpc::SslCredentials(tls), grpc::AccessTokenCredentials(token));
  return grpc::CreateCustomChannel(arguments[1], credentials, options);
}

// Returns the exit status of a client, after printing an error.
inline int report(const grpc::Status& status) {
  if (!status.ok()) std::cout << "error " << status.error_code() << ": " << status.error_message() << std::endl;
  return status.ok() ? 0 : 1;
}
