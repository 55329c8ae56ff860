//===- BoundedAffine.cpp - affine expressions of bounded numbers ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An expression is a sum of multiples of atoms (dimensions, symbols, quotients
// and remainders) and of a constant. To divide a sum by c, what c divides is
// taken out, the rest and c are divided by their common divisor, and where
// bounds leave one quotient only, the rest is gone.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/BoundedAffine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>
#include <optional>

using namespace mlir;
using namespace mlir::tile;

namespace {

/// Numbers beyond this are not followed: sums and products of smaller ones do
/// not overflow.
constexpr int64_t kLargest = int64_t(1) << 31;

struct Term {
  AffineExpr atom;
  int64_t factor;
};

struct Sum {
  SmallVector<Term> terms;
  int64_t constant = 0;

  void add(AffineExpr atom, int64_t factor) {
    for (Term *it = terms.begin(); it != terms.end(); ++it)
      if (it->atom == atom) {
        it->factor += factor;
        if (it->factor == 0)
          terms.erase(it);
        return;
      }
    if (factor != 0)
      terms.push_back({atom, factor});
  }
  void add(const Sum &other, int64_t factor = 1) {
    for (const Term &term : other.terms)
      add(term.atom, term.factor * factor);
    constant += other.constant * factor;
  }
  bool isLarge() const {
    auto isOutside = [](int64_t number) {
      return number > kLargest || number < -kLargest;
    };
    return isOutside(constant) || llvm::any_of(terms, [&](const Term &term) {
             return isOutside(term.factor);
           });
  }
  AffineExpr toExpr(MLIRContext *context) const {
    AffineExpr expr = getAffineConstantExpr(0, context);
    for (const Term &term : terms)
      expr = expr + term.atom * term.factor;
    return expr + constant;
  }
};

struct Bounds {
  int64_t min, max;
};

class Simplifier {
public:
  Simplifier(MLIRContext *context, ArrayRef<int64_t> extents)
      : context(context), extents(extents) {}

  /// None where a number is too large to be followed.
  std::optional<Sum> run(AffineExpr expr);

private:
  std::optional<Sum> quotient(Sum sum, int64_t divisor);
  std::optional<Sum> remainder(Sum sum, int64_t divisor);
  std::optional<Bounds> boundsOf(AffineExpr atom) const;
  std::optional<Bounds> boundsOf(const Sum &sum) const;

  MLIRContext *context;
  ArrayRef<int64_t> extents;
};

} // namespace

std::optional<Bounds> Simplifier::boundsOf(AffineExpr atom) const {
  if (auto dim = dyn_cast<AffineDimExpr>(atom))
    return Bounds{0, extents[dim.getPosition()] - 1};
  auto binary = dyn_cast<AffineBinaryOpExpr>(atom);
  auto divisor =
      binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : nullptr;
  if (!divisor || divisor.getValue() <= 0)
    return std::nullopt;
  if (atom.getKind() == AffineExprKind::Mod)
    return Bounds{0, divisor.getValue() - 1};
  if (atom.getKind() != AffineExprKind::FloorDiv)
    return std::nullopt;
  std::optional<Sum> inner = Simplifier(context, extents).run(binary.getLHS());
  std::optional<Bounds> bounds = inner ? boundsOf(*inner) : std::nullopt;
  if (!bounds)
    return std::nullopt;
  return Bounds{llvm::divideFloorSigned(bounds->min, divisor.getValue()),
                llvm::divideFloorSigned(bounds->max, divisor.getValue())};
}

std::optional<Bounds> Simplifier::boundsOf(const Sum &sum) const {
  Bounds total{sum.constant, sum.constant};
  for (const Term &term : sum.terms) {
    std::optional<Bounds> atom = boundsOf(term.atom);
    if (!atom || atom->max > kLargest || atom->min < -kLargest)
      return std::nullopt;
    int64_t first = atom->min * term.factor, last = atom->max * term.factor;
    total.min += std::min(first, last);
    total.max += std::max(first, last);
    if (total.min < -kLargest || total.max > kLargest)
      return std::nullopt;
  }
  return total;
}

/// Takes multiples of `divisor` out of `sum` and returns their quotient.
static Sum takeMultiples(Sum &sum, int64_t divisor) {
  Sum quotient, rest;
  for (const Term &term : sum.terms)
    if (term.factor % divisor == 0)
      quotient.add(term.atom, term.factor / divisor);
    else
      rest.add(term.atom, term.factor);
  quotient.constant = llvm::divideFloorSigned(sum.constant, divisor);
  rest.constant = sum.constant - quotient.constant * divisor;
  sum = std::move(rest);
  return quotient;
}

/// What divides `divisor` and all factors of atoms.
static int64_t commonDivisor(const Sum &sum, int64_t divisor) {
  for (const Term &term : sum.terms)
    divisor = std::gcd(divisor, term.factor);
  return divisor;
}

/// The sum, divided by a divisor of all factors, rounded down.
static Sum divided(const Sum &sum, int64_t divisor) {
  Sum result;
  for (const Term &term : sum.terms)
    result.add(term.atom, term.factor / divisor);
  result.constant = llvm::divideFloorSigned(sum.constant, divisor);
  return result;
}

std::optional<Sum> Simplifier::quotient(Sum sum, int64_t divisor) {
  Sum result = takeMultiples(sum, divisor);
  int64_t common = commonDivisor(sum, divisor);
  sum = divided(sum, common);
  divisor /= common;
  if (divisor == 1) {
    result.add(sum);
    return result;
  }
  if (std::optional<Bounds> bounds = boundsOf(sum)) {
    int64_t least = llvm::divideFloorSigned(bounds->min, divisor);
    if (least == llvm::divideFloorSigned(bounds->max, divisor)) {
      result.constant += least;
      return result;
    }
  }
  result.add(sum.toExpr(context).floorDiv(divisor), 1);
  return result;
}

std::optional<Sum> Simplifier::remainder(Sum sum, int64_t divisor) {
  takeMultiples(sum, divisor);
  if (std::optional<Bounds> bounds = boundsOf(sum)) {
    int64_t least = llvm::divideFloorSigned(bounds->min, divisor);
    if (least == llvm::divideFloorSigned(bounds->max, divisor)) {
      sum.constant -= least * divisor;
      return sum;
    }
  }
  int64_t common = commonDivisor(sum, divisor);
  Sum result;
  result.constant =
      sum.constant - llvm::divideFloorSigned(sum.constant, common) * common;
  result.add(divided(sum, common).toExpr(context) % (divisor / common), common);
  return result;
}

std::optional<Sum> Simplifier::run(AffineExpr expr) {
  Sum result;
  auto checked = [](std::optional<Sum> sum) {
    return sum && !sum->isLarge() ? sum : std::nullopt;
  };
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    result.constant = constant.getValue();
    return checked(result);
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    result.add(expr, 1);
    return result;
  }
  std::optional<Sum> lhs = run(binary.getLHS()), rhs = run(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    lhs->add(*rhs);
    return checked(lhs);
  }
  bool isConstant = rhs->terms.empty();
  if (expr.getKind() == AffineExprKind::Mul && isConstant) {
    result.add(*lhs, rhs->constant);
    return checked(result);
  }
  if (isConstant && rhs->constant > 0) {
    int64_t divisor = rhs->constant;
    if (expr.getKind() == AffineExprKind::CeilDiv)
      lhs->constant += divisor - 1;
    return checked(expr.getKind() == AffineExprKind::Mod
                       ? remainder(*lhs, divisor)
                       : quotient(*lhs, divisor));
  }
  result.add(getAffineBinaryOpExpr(expr.getKind(), lhs->toExpr(context),
                                   rhs->toExpr(context)),
             1);
  return result;
}

AffineExpr tile::simplifyBounded(AffineExpr expr, ArrayRef<int64_t> extents) {
  MLIRContext *context = expr.getContext();
  std::optional<Sum> sum = Simplifier(context, extents).run(expr);
  return sum ? sum->toExpr(context) : expr;
}

bool tile::hasQuotients(AffineExpr expr) {
  bool found = false;
  expr.walk([&](AffineExpr inner) {
    found |= inner.getKind() == AffineExprKind::FloorDiv ||
             inner.getKind() == AffineExprKind::CeilDiv ||
             inner.getKind() == AffineExprKind::Mod;
  });
  return found;
}
