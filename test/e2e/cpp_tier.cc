// SPDX-License-Identifier: Apache-2.0

// rg_cpp_tier: a middle process of a call tree in C++, as a user of gRPC's C++
// API writes it: the client context comes from the server context, and Retry
// Guard is registered by its C++ header. It takes the options --next ADDRESS
// and --service-config JSON, prints `port N` and serves until it is ended.
//
// rg_plain_cpp_tier: the same, built without anything of Retry Guard.
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/server_builder.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#ifndef RG_PLAIN
#include "retry_guard/retry_guard.hpp"
#endif

namespace {

bool RegisterGuard() {
#ifndef RG_PLAIN
  retry_guard_status registered = retry_guard::Register();
  if (registered == RETRY_GUARD_OK) return true;
  std::fprintf(stderr, "rg_cpp_tier: %s\n",
               retry_guard_status_string(registered));
  return false;
#else
  return true;
#endif
}

struct Options {
  std::string next;
  std::string service_config;
};

Options Parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--next") == 0) options.next = argv[i + 1];
    if (std::strcmp(argv[i], "--service-config") == 0)
      options.service_config = argv[i + 1];
  }
  return options;
}

grpc::GenericStub ConnectTo(const Options &options) {
  grpc::ChannelArguments arguments;
  if (!options.service_config.empty())
    arguments.SetServiceConfigJSON(options.service_config);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::GenericStub(grpc::CreateCustomChannel(
      options.next, grpc::InsecureChannelCredentials(), arguments));
}

bool Next(grpc::CompletionQueue *queue) {
  void *tag;
  bool ok = false;
  return queue->Next(&tag, &ok) && ok;
}

// One call to the next tier on behalf of `incoming`; blocks until it has ended.
grpc::Status Forward(grpc::GenericStub *stub,
                     const grpc::GenericServerContext &incoming,
                     const grpc::ByteBuffer &request, grpc::ByteBuffer *reply) {
  std::unique_ptr<grpc::ClientContext> context =
      grpc::ClientContext::FromServerContext(incoming);
  grpc::CompletionQueue queue;
  auto call =
      stub->PrepareUnaryCall(context.get(), incoming.method(), request, &queue);
  call->StartCall();
  grpc::Status status;
  call->Finish(reply, &status, nullptr);
  Next(&queue);
  return status;
}

// Serves one call, on the thread that calls it.
bool ServeOne(grpc::AsyncGenericService *service,
              grpc::ServerCompletionQueue *queue, grpc::GenericStub *stub) {
  grpc::GenericServerContext context;
  grpc::GenericServerAsyncReaderWriter stream(&context);
  service->RequestCall(&context, &stream, queue, queue, nullptr);
  if (!Next(queue)) return false;
  grpc::ByteBuffer request, reply;
  stream.Read(&request, nullptr);
  Next(queue);
  grpc::Status status = Forward(stub, context, request, &reply);
  if (status.ok())
    stream.WriteAndFinish(reply, grpc::WriteOptions(), status, nullptr);
  else
    stream.Finish(status, nullptr);
  Next(queue);
  return true;
}

// Before any thread starts, so that all of them leave the signals to main.
sigset_t BlockEnds() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  return ends;
}

}  // namespace

int main(int argc, char **argv) {
  Options options = Parse(argc, argv);
  sigset_t ends = BlockEnds();
  if (!RegisterGuard()) return 1;
  grpc::GenericStub stub = ConnectTo(options);
  grpc::AsyncGenericService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterAsyncGenericService(&service);
  auto queue = builder.AddCompletionQueue();
  auto server = builder.BuildAndStart();
  std::thread worker([&] {
    while (ServeOne(&service, queue.get(), &stub)) {
    }
  });
  std::printf("port %d\n", port);
  std::fflush(stdout);
  int number;
  sigwait(&ends, &number);
  server->Shutdown();
  worker.join();
  queue->Shutdown();
  while (Next(queue.get())) {
  }
  return 0;
}
