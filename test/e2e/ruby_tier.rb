# SPDX-License-Identifier: Apache-2.0

# A middle process of a call tree that knows nothing of the guard, in Ruby. It
# prints `port N` and serves until it is ended. How it makes the call to NEXT:
#   alone    as handlers in Ruby do, with nothing of the incoming call
#   parent   with the incoming call as parent
#   copy     with a copy of the mark in its metadata
require 'grpc'

NEXT, WAY = ARGV

# Messages stay as they are.
class Bytes
  def self.read(bytes) = bytes

  def self.write(bytes) = bytes
end

class Echo
  include GRPC::GenericService
  self.service_name = 'retry_guard.test.Echo'
  self.marshal_class_method = :write
  self.unmarshal_class_method = :read
  rpc :Call, Bytes, Bytes
end

class Tier < Echo
  def initialize
    super
    @raw = :itself.to_proc
    @stub = GRPC::ClientStub.new(
      NEXT, :this_channel_is_insecure,
      channel_args: { 'grpc.enable_http_proxy' => 0 }, timeout: 60
    )
  end

  def call(request, incoming)
    @stub.request_response('/retry_guard.test.Echo/Call', request, @raw, @raw,
                           **options(incoming))
  end

  private

  def options(incoming)
    case WAY
    when 'parent' then { parent: core_call(incoming) }
    when 'copy' then { metadata: incoming.metadata.slice('retry-layer-bin') }
    else {}
    end
  end

  # What a handler gets is a view of a wrapper; neither hands it out.
  def core_call(incoming)
    incoming.instance_variable_get(:@wrapped).instance_variable_get(:@call)
  end
end

server = GRPC::RpcServer.new(pool_size: 4)
port = server.add_http2_port('127.0.0.1:0', :this_port_is_insecure)
server.handle(Tier)
puts "port #{port}"
$stdout.flush
server.run_till_terminated_or_interrupted(['TERM'])
