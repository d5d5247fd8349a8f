# Runs gRPC's own interoperability client for Ruby, of the Debian package ruby-grpc, in one process.
# Usage: published.rb CLIENT-FILE OPTION...
# Prints a line for each failure, and the number of passed and failed cases. The options are the client's.
CASES = %w[
  empty_unary large_unary client_streaming server_streaming ping_pong empty_stream custom_metadata
  status_code_and_message unimplemented_method unimplemented_service cancel_after_begin cancel_after_first_response
  timeout_on_sleeping_server
]
load ARGV.shift
options = ARGV.dup
passed = CASES.count do |name|
  ARGV.replace(options + ['--test_case', name])
  main
  true
rescue StandardError => error
  puts "FAILED: #{name}: #{error.inspect}"
  false
end
puts "#{passed} passed, #{CASES.size - passed} failed"
exit passed == CASES.size
