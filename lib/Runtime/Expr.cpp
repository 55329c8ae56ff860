//===- Expr.cpp - Integer expressions of the manifest ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building, evaluating and printing manifest expressions. JSON is left to
// ManifestJson.cpp.
//
//===----------------------------------------------------------------------===//

#include "tile/Runtime/Expr.h"

#include <algorithm>
#include <limits>

using namespace mlir::tile::runtime;

struct Expr::Node {
  Kind kind;
  unsigned depth;
  unsigned arg;
  unsigned dim;
  int64_t value;
  std::shared_ptr<const Node> lhs, rhs;
};

namespace {
struct KindName {
  Expr::Kind kind;
  const char *text;
};
} // namespace

constexpr KindName kKindNames[] = {
    {Expr::Kind::Dim, "dim"},
    {Expr::Kind::Stride, "stride"},
    {Expr::Kind::Scalar, "scalar"},
    {Expr::Kind::Add, "add"},
    {Expr::Kind::Sub, "sub"},
    {Expr::Kind::Mul, "mul"},
    {Expr::Kind::FloorDiv, "floordiv"},
    {Expr::Kind::CeilDiv, "ceildiv"},
    {Expr::Kind::Mod, "mod"},
    {Expr::Kind::Min, "min"},
    {Expr::Kind::Max, "max"},
    {Expr::Kind::Eq, "eq"},
    {Expr::Kind::Ne, "ne"},
    {Expr::Kind::Lt, "lt"},
    {Expr::Kind::Le, "le"},
    {Expr::Kind::Gt, "gt"},
    {Expr::Kind::Ge, "ge"},
    {Expr::Kind::And, "and"},
    {Expr::Kind::Or, "or"},
};

constexpr const char *kOverflow = "the result does not fit 64 bits";

static Expr::Value fail(const char *reason) { return {0, reason}; }
static Expr::Value give(int64_t value) { return {value, nullptr}; }

/// The quotient rounded up or down. INT64_MIN/-1 is the one that does not fit.
static Expr::Value divide(int64_t a, int64_t b, bool up) {
  if (b == 0)
    return fail("division by zero");
  if (a == std::numeric_limits<int64_t>::min() && b == -1)
    return fail(kOverflow);
  int64_t quotient = a / b;
  if (a % b == 0)
    return give(quotient);
  bool negative = (a < 0) != (b < 0);
  if (up)
    return give(negative ? quotient : quotient + 1);
  return give(negative ? quotient - 1 : quotient);
}

static Expr::Value apply(Expr::Kind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (kind) {
  case Expr::Kind::Add:
    return __builtin_add_overflow(a, b, &result) ? fail(kOverflow)
                                                 : give(result);
  case Expr::Kind::Sub:
    return __builtin_sub_overflow(a, b, &result) ? fail(kOverflow)
                                                 : give(result);
  case Expr::Kind::Mul:
    return __builtin_mul_overflow(a, b, &result) ? fail(kOverflow)
                                                 : give(result);
  case Expr::Kind::FloorDiv:
    return divide(a, b, /*up=*/false);
  case Expr::Kind::CeilDiv:
    return divide(a, b, /*up=*/true);
  case Expr::Kind::Mod:
    if (b <= 0)
      return fail("modulus is not positive");
    result = a % b;
    return give(result < 0 ? result + b : result);
  case Expr::Kind::Min:
    return give(std::min(a, b));
  case Expr::Kind::Max:
    return give(std::max(a, b));
  case Expr::Kind::Eq:
    return give(a == b);
  case Expr::Kind::Ne:
    return give(a != b);
  case Expr::Kind::Lt:
    return give(a < b);
  case Expr::Kind::Le:
    return give(a <= b);
  case Expr::Kind::Gt:
    return give(a > b);
  case Expr::Kind::Ge:
    return give(a >= b);
  case Expr::Kind::And:
    return give(a != 0 && b != 0);
  case Expr::Kind::Or:
    return give(a != 0 || b != 0);
  case Expr::Kind::Constant:
  case Expr::Kind::Dim:
  case Expr::Kind::Stride:
  case Expr::Kind::Scalar:
    break;
  }
  return fail("not an operation of two operands");
}

Expr::Expr(int64_t value)
    : node(std::make_shared<const Node>(
          Node{Kind::Constant, 1, 0, 0, value, nullptr, nullptr})) {}

Expr Expr::dim(unsigned arg, unsigned dim) {
  return Expr(std::make_shared<const Node>(
      Node{Kind::Dim, 1, arg, dim, 0, nullptr, nullptr}));
}

Expr Expr::stride(unsigned arg, unsigned dim) {
  return Expr(std::make_shared<const Node>(
      Node{Kind::Stride, 1, arg, dim, 0, nullptr, nullptr}));
}

Expr Expr::scalar(unsigned arg) {
  return Expr(std::make_shared<const Node>(
      Node{Kind::Scalar, 1, arg, 0, 0, nullptr, nullptr}));
}

Expr Expr::binary(Kind kind, Expr a, Expr b) {
  assert(kind >= Kind::Add && "expected a kind with two operands");
  if (a.isConstant() && b.isConstant())
    if (Value folded = apply(kind, a.value(), b.value()); folded.ok())
      return Expr(folded.value);
  unsigned depth = 1 + std::max(a.depth(), b.depth());
  return Expr(std::make_shared<const Node>(
      Node{kind, depth, 0, 0, 0, std::move(a.node), std::move(b.node)}));
}

Expr::Kind Expr::kind() const { return node->kind; }
int64_t Expr::value() const { return node->value; }
unsigned Expr::arg() const { return node->arg; }
unsigned Expr::dim() const { return node->dim; }
unsigned Expr::depth() const { return node->depth; }

Expr Expr::lhs() const {
  assert(isBinary() && "expected an expression with two operands");
  return Expr(node->lhs);
}

Expr Expr::rhs() const {
  assert(isBinary() && "expected an expression with two operands");
  return Expr(node->rhs);
}

bool Expr::equal(const Node &a, const Node &b) {
  if (&a == &b)
    return true;
  if (a.kind != b.kind || a.depth != b.depth || a.arg != b.arg ||
      a.dim != b.dim || a.value != b.value)
    return false;
  return a.kind < Kind::Add || (equal(*a.lhs, *b.lhs) && equal(*a.rhs, *b.rhs));
}

bool Expr::operator==(const Expr &other) const {
  return equal(*node, *other.node);
}

Expr::Value Expr::evaluate(Span<const ExprArg> args) const {
  return evaluate(*node, args);
}

/// The value of an expression without operands.
static Expr::Value evaluateLeaf(Expr::Kind kind, unsigned arg, unsigned dim,
                                int64_t value, Span<const ExprArg> args) {
  switch (kind) {
  case Expr::Kind::Dim:
    if (arg >= args.size() || dim >= args[arg].rank)
      return fail("no such dimension");
    return give(args[arg].shape[dim]);
  case Expr::Kind::Stride:
    if (arg >= args.size() || dim >= args[arg].rank)
      return fail("no such stride");
    return give(args[arg].strides[dim]);
  case Expr::Kind::Scalar:
    if (arg >= args.size() || !args[arg].hasInteger)
      return fail("the argument is not an integer of 64 signed bits");
    return give(args[arg].integer);
  default: // Constant
    return give(value);
  }
}

Expr::Value Expr::evaluate(const Node &node, Span<const ExprArg> args) {
  if (node.kind < Kind::Add)
    return evaluateLeaf(node.kind, node.arg, node.dim, node.value, args);
  Value a = evaluate(*node.lhs, args);
  if (!a.ok())
    return a;
  if (node.kind == Kind::And && a.value == 0)
    return give(0);
  if (node.kind == Kind::Or && a.value != 0)
    return give(1);
  Value b = evaluate(*node.rhs, args);
  if (!b.ok())
    return b;
  return apply(node.kind, a.value, b.value);
}

ExprProgram::ExprProgram(const Expr &expr) { add(*expr.node); }

void ExprProgram::add(const Expr::Node &node) {
  if (node.kind >= Expr::Kind::Add) {
    add(*node.lhs);
    add(*node.rhs);
  }
  steps.push_back({node.kind, node.arg, node.dim, node.value});
}

Expr::Value ExprProgram::evaluate(Span<const ExprArg> args) const {
  auto leaf = [&](size_t i) {
    const Step &step = steps[i];
    return evaluateLeaf(step.kind, step.arg, step.dim, step.value, args);
  };
  if (steps.size() == 1)
    return leaf(0);
  // A tree of so many levels has no more operands that wait. Most have few: no
  // more are written than there are.
  int64_t waiting[Expr::kMaxDepth + 1];
  const char *errors[Expr::kMaxDepth + 1];
  size_t count = 0;
  auto put = [&](size_t at, Expr::Value value) {
    waiting[at] = value.value;
    errors[at] = value.error;
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    Expr::Kind kind = steps[i].kind;
    if (kind < Expr::Kind::Add) {
      put(count++, leaf(i));
      continue;
    }
    size_t b = --count, a = count - 1;
    if (errors[a])
      continue;
    // The second operand does not count where the first one decides.
    bool isDecided = (kind == Expr::Kind::And && waiting[a] == 0) ||
                     (kind == Expr::Kind::Or && waiting[a] != 0);
    if (isDecided)
      waiting[a] = waiting[a] != 0;
    else
      put(a, errors[b] ? Expr::Value{waiting[b], errors[b]}
                       : apply(kind, waiting[a], waiting[b]));
  }
  return {waiting[0], errors[0]};
}

std::string Expr::str() const {
  switch (kind()) {
  case Kind::Constant:
    return std::to_string(value());
  case Kind::Dim:
  case Kind::Stride:
    return std::string(spelling(kind())) + "(" + std::to_string(arg()) + ", " +
           std::to_string(dim()) + ")";
  case Kind::Scalar:
    return "scalar(" + std::to_string(arg()) + ")";
  default:
    return std::string(spelling(kind())) + "(" + lhs().str() + ", " +
           rhs().str() + ")";
  }
}

const char *Expr::spelling(Kind kind) {
  for (const KindName &entry : kKindNames)
    if (entry.kind == kind)
      return entry.text;
  return nullptr;
}

bool Expr::parseBinaryKind(const std::string &text, Kind &kind) {
  for (const KindName &entry : kKindNames)
    if (entry.kind >= Kind::Add && text == entry.text) {
      kind = entry.kind;
      return true;
    }
  return false;
}
