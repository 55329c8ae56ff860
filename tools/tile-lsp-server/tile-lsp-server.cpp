//===- tile-lsp-server.cpp - tile IR in editors ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speaks the language server protocol on standard input and output: diagnostics
// of the verifiers, go to definition, hover, completion for `.mlir` files that
// hold tile IR. MLIR's server answers; what it does not know of the dialect is
// added on the way (Session.h).
//
//===----------------------------------------------------------------------===//
#include "../Tools.h"
#include "Relay.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tile/Pipelines/Register.h"
#include "tile/Target/TargetInfo.h"
#include <csignal>

using namespace mlir;

static constexpr char kHelp[] =
    R"(mlir-tile: language server for tile IR, on standard input and output

  --arch=sm_XX            show the layouts decided for this architecture, of
                          modules without `tile.target` (default: sm_80)
  --input-style=standard  messages behind headers with their length (default)
  --input-style=delimited messages between lines of `// -----`
  --pretty                answers over several lines
  --lit-test              --input-style=delimited --pretty --log=verbose
  --log=error|info|verbose
)";

/// Options of this tool, and options of the client's protocol; the relay passes
/// the others to MLIR's server.
struct Arguments {
  std::string arch = "sm_80";
  tile::RelayOptions relay;
  SmallVector<char *> others;
};

static Arguments parse(MutableArrayRef<char *> arguments) {
  Arguments result;
  for (char *argument : arguments) {
    StringRef text(argument);
    if (text.starts_with("--"))
      text = text.drop_front();
    if (text.consume_front("-arch=")) {
      result.arch = text.str();
    } else if (text == "-lit-test") {
      result.relay.isDelimited = result.relay.isPretty = true;
    } else if (text == "-pretty") {
      result.relay.isPretty = true;
    } else if (text.consume_front("-input-style=") &&
               (text == "standard" || text == "delimited")) {
      result.relay.isDelimited = text == "delimited";
    } else {
      result.others.push_back(argument);
    }
  }
  return result;
}

int tile::lspServerMain(int argc, char **argv) {
  Arguments arguments = parse(MutableArrayRef<char *>(argv, argc));
  if (llvm::any_of(arguments.others, [](StringRef argument) {
        return argument == "--help" || argument == "-help" || argument == "-h";
      })) {
    llvm::outs() << kHelp;
    return 0;
  }
  std::string error;
  if (!tile::TargetInfo::get(arguments.arch, &error)) {
    llvm::errs() << "tile-lsp-server: error: --arch: " << error << "\n";
    return 1;
  }
  // A client that has gone ends the input; writing to it is no fault.
  std::signal(SIGPIPE, SIG_IGN);
  DialectRegistry registry;
  tile::registerTileDialects(registry);
  tile::nameOperationsInErrors();
  tile::Session session(arguments.arch);
  int status = tile::relay(session, arguments.relay, [&] {
    return int(failed(MlirLspServerMain(arguments.others.size(),
                                        arguments.others.data(), registry)));
  });
  if (status < 0)
    llvm::errs() << "tile-lsp-server: error: cannot make pipes\n";
  return status != 0;
}
