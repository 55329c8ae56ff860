//===- Relay.cpp - runs MLIR's server between two pipes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Relay.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>
#include <unistd.h>

using namespace mlir::tile;
namespace json = llvm::json;
namespace lsp = llvm::lsp;

static void send(llvm::raw_ostream &os, const json::Value &message,
                 bool isPretty) {
  std::string text = llvm::formatv(isPretty ? "{0:2}" : "{0}", message).str();
  os << "Content-Length: " << text.size() << "\r\n\r\n" << text;
  os.flush();
}

/// Passes on what comes until there is no more, or `visit` says that this was
/// the last.
static void pump(std::FILE *from, lsp::JSONStreamStyle style, int to,
                 bool isPretty, llvm::function_ref<bool(json::Value &)> visit) {
  lsp::JSONTransportInputOverFile input(from, style);
  llvm::raw_fd_ostream os(to, /*shouldClose=*/true);
  bool isLast = false;
  while (!isLast && !input.isEndOfInput() && !input.hasError()) {
    std::string text;
    if (llvm::failed(input.readMessage(text)))
      continue;
    llvm::Expected<json::Value> message = json::parse(text);
    if (!message) {
      // The other side would also drop it.
      llvm::errs() << "tile-lsp-server: error: expected JSON, got: "
                   << llvm::toString(message.takeError()) << "\n";
      continue;
    }
    isLast = visit(*message);
    send(os, *message, isPretty);
  }
  // A reader that has gone is no error of ours.
  os.clear_error();
}

int mlir::tile::relay(Session &session, const RelayOptions &options,
                      llvm::function_ref<int()> serve) {
  int toServer[2], toClient[2];
  if (pipe(toServer) || pipe(toClient))
    return -1;
  std::FILE *client = fdopen(dup(STDIN_FILENO), "rb");
  int clientOut = dup(STDOUT_FILENO);
  std::FILE *server = fdopen(toClient[0], "rb");
  if (!client || !server || clientOut < 0 ||
      dup2(toServer[0], STDIN_FILENO) < 0 ||
      dup2(toClient[1], STDOUT_FILENO) < 0)
    return -1;
  close(toServer[0]);
  close(toClient[1]);

  auto style = options.isDelimited ? lsp::JSONStreamStyle::Delimited
                                   : lsp::JSONStreamStyle::Standard;
  std::thread requests([&] {
    pump(client, style, toServer[1], /*isPretty=*/false,
         [&](json::Value &message) {
           session.fromClient(message);
           const json::Object *object = message.getAsObject();
           return object && object->getString("method") == "exit";
         });
  });
  std::thread answers([&] {
    pump(server, lsp::JSONStreamStyle::Standard, clientOut, options.isPretty,
         [&](json::Value &message) {
           session.fromServer(message);
           return false;
         });
  });
  int status = serve();
  llvm::outs().flush();
  // The last writer of the pipe: its reader ends.
  close(STDOUT_FILENO);
  answers.join();
  requests.join();
  return status;
}
