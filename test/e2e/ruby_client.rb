# SPDX-License-Identifier: Apache-2.0

# A client that knows nothing of the guard, in Ruby: COUNT calls to Echo, one
# after the other. With a third argument, that is the channel's service config.
require 'grpc'

address, count, config = ARGV
arguments = { 'grpc.enable_http_proxy' => 0 }
arguments['grpc.service_config'] = config if config

raw = :itself.to_proc
stub = GRPC::ClientStub.new(address, :this_channel_is_insecure,
                            channel_args: arguments, timeout: 60)
ok = count.to_i.times.count do
  stub.request_response('/retry_guard.test.Echo/Call', '', raw, raw)
rescue GRPC::BadStatus
  false
end
puts "#{ok} ok"
