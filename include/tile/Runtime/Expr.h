//===- Expr.h - Integer expressions of the manifest -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions over a launch's dimensions, strides and integer scalars: grid
// extents, assumptions and tensor-map fields stay symbolic in the manifest and
// are evaluated at launch. An Expr is an immutable tree with value semantics;
// the compiler builds it, ManifestJson.cpp reads and writes it.
//
// Arithmetic is checked 64-bit: an overflow or a division by zero is an error,
// never a wrapped number. Evaluation allocates nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_RUNTIME_EXPR_H
#define TILE_RUNTIME_EXPR_H

#include "tile/Runtime/Support.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mlir::tile::runtime {

/// What an expression may ask about one argument of a launch. An aggregate
/// without initializers: a launch has an array of them on its stack.
struct ExprArg {
  const int64_t *shape;   ///< `rank` extents, of a memref
  const int64_t *strides; ///< `rank` strides, in elements
  unsigned rank;
  bool hasInteger; ///< a scalar whose value fits 64 signed bits
  int64_t integer;
};

class Expr {
public:
  enum class Kind : uint8_t {
    Constant, ///< value
    Dim,      ///< extent of dimension `dim` of argument `arg`
    Stride,   ///< stride in elements of dimension `dim` of argument `arg`
    Scalar,   ///< value of the integer scalar argument `arg`
    Add,
    Sub,
    Mul,
    FloorDiv, ///< rounds towards minus infinity
    CeilDiv,  ///< rounds towards plus infinity
    Mod,      ///< in [0, b); b must be positive
    Min,
    Max,
    Eq, ///< comparisons give 1 or 0
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And, ///< 1 or 0; b is not evaluated where a is 0
    Or,  ///< 1 or 0; b is not evaluated where a is not 0
  };

  /// Trees deeper than this are refused wherever they come from, so that no
  /// walk over one can exhaust the stack.
  static constexpr unsigned kMaxDepth = 64;

  /// The constant 0.
  Expr() : Expr(int64_t(0)) {}
  Expr(int64_t value);
  static Expr constant(int64_t value) { return Expr(value); }
  static Expr dim(unsigned arg, unsigned dim);
  static Expr stride(unsigned arg, unsigned dim);
  static Expr scalar(unsigned arg);
  /// `kind` is one of the two-operand kinds. Two constant operands fold where
  /// the result is defined.
  static Expr binary(Kind kind, Expr a, Expr b);

  Kind kind() const;
  bool isConstant() const { return kind() == Kind::Constant; }
  bool isBinary() const { return kind() >= Kind::Add; }
  int64_t value() const; ///< of a Constant
  unsigned arg() const;  ///< of a Dim, Stride or Scalar
  unsigned dim() const;  ///< of a Dim or Stride
  Expr lhs() const;      ///< of a kind with two operands
  Expr rhs() const;
  unsigned depth() const; ///< 1 for a leaf

  bool operator==(const Expr &other) const;
  bool operator!=(const Expr &other) const { return !(*this == other); }

  /// A value, or the reason (static text) why there is none.
  struct Value {
    int64_t value = 0;
    const char *error = nullptr;
    bool ok() const { return !error; }
  };
  Value evaluate(Span<const ExprArg> args) const;

  /// For messages: `ceildiv(dim(0, 1), 128)`.
  std::string str() const;

  /// The manifest's spelling of a kind, and back; nullptr and false for none.
  static const char *spelling(Kind kind);
  static bool parseBinaryKind(const std::string &text, Kind &kind);

private:
  friend class ExprProgram;
  struct Node;
  explicit Expr(std::shared_ptr<const Node> node) : node(std::move(node)) {}
  static bool equal(const Node &a, const Node &b);
  static Value evaluate(const Node &node, Span<const ExprArg> args);

  std::shared_ptr<const Node> node;
};

/// An expression as a list of steps that lie together, operands first: for who
/// evaluates it often, or long after it was made.
class ExprProgram {
public:
  explicit ExprProgram(const Expr &expr);
  /// As Expr::evaluate.
  Expr::Value evaluate(Span<const ExprArg> args) const;

private:
  struct Step {
    Expr::Kind kind;
    unsigned arg, dim;
    int64_t value;
  };
  void add(const Expr::Node &node);
  std::vector<Step> steps;
};

inline Expr operator+(Expr a, Expr b) {
  return Expr::binary(Expr::Kind::Add, std::move(a), std::move(b));
}
inline Expr operator-(Expr a, Expr b) {
  return Expr::binary(Expr::Kind::Sub, std::move(a), std::move(b));
}
inline Expr operator*(Expr a, Expr b) {
  return Expr::binary(Expr::Kind::Mul, std::move(a), std::move(b));
}
inline Expr floorDiv(Expr a, Expr b) {
  return Expr::binary(Expr::Kind::FloorDiv, std::move(a), std::move(b));
}
inline Expr ceilDiv(Expr a, Expr b) {
  return Expr::binary(Expr::Kind::CeilDiv, std::move(a), std::move(b));
}

} // namespace mlir::tile::runtime

#endif // TILE_RUNTIME_EXPR_H
