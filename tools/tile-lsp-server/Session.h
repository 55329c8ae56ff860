//===- Session.h - what is added to the answers of MLIR's server -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Watches the messages of a client and of MLIR's server. Requests go on as they
// are; of answers, those on hovering and completing are added to:
// documentation, decided layouts, names of attributes.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_LSP_SERVER_SESSION_H
#define TILE_TOOLS_TILE_LSP_SERVER_SESSION_H

#include "Reference.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <mutex>
#include <string>

namespace mlir::tile {

class Session {
public:
  /// `arch`: of modules that state none.
  explicit Session(std::string arch) : arch(std::move(arch)) {}

  /// A message of the client; called by one thread.
  void fromClient(const llvm::json::Value &message);
  /// A message of the server, which is changed in place; by another thread.
  void fromServer(llvm::json::Value &message);

private:
  struct Request {
    bool isHover;
    std::string text; ///< the document as it was
    size_t offset;
  };

  const AttributeDoc *findAttribute(llvm::StringRef text,
                                    llvm::StringRef word) const;
  void addHover(const Request &request, llvm::json::Object &answer);
  void addCompletions(const Request &request, llvm::json::Object &answer);

  std::string arch;
  Reference reference;
  std::mutex mutex; ///< of what both threads know
  llvm::StringMap<std::string> documents;
  llvm::StringMap<Request> requests; ///< by identifier
};

} // namespace mlir::tile
#endif // TILE_TOOLS_TILE_LSP_SERVER_SESSION_H
