//===- TileDialect.cpp - types and attributes of the dialect for Python ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension module `_mlirDialectsTile`: a Python class for each type and
// attribute, over tile-c/Dialect.h, in the way of upstream's dialects. What
// layouts are asked is in TileLayout.cpp. Texts about the classes are in
// _mlirDialectsTile.pyi, for editors, and in docs/PythonBindings.md.
//
//===----------------------------------------------------------------------===//
#include "TileDialect.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"

using namespace nb::literals;
using namespace mlir::python::nanobind_adaptors;
using namespace tile_python;

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

/// A class of mlir_tile.dialects.tile that is generated from an enumeration.
static nb::object enumClass(const char *name) {
  return nb::module_::import_(
             MAKE_MLIR_PYTHON_QUALNAME("dialects._tile_enum_gen"))
      .attr(name);
}

/// The number of a case, given as one, as a number, or as its word.
static int32_t caseNumber(const char *name, nb::handle value) {
  nb::object type = enumClass(name);
  std::string words;
  for (nb::handle member : type) {
    nb::str word(member);
    if (member.equal(value) || word.equal(value))
      return nb::cast<int32_t>(nb::int_(nb::borrow(member)));
    words += (words.empty() ? "" : ", ") + std::string(word.c_str());
  }
  throw nb::value_error(("expected a " + std::string(name) + " (" + words +
                         "), got " + nb::repr(value).c_str())
                            .c_str());
}

namespace {
struct EnumFunctions {
  const char *attributeName, *enumName;
  bool (*isA)(MlirAttribute);
  MlirTypeID (*getTypeID)();
  MlirAttribute (*getChecked)(MlirLocation, int32_t);
  int32_t (*getValue)(MlirAttribute);
};
} // namespace

static void bindEnum(nb::module_ &m, EnumFunctions functions) {
  mlir_attribute_subclass(m, functions.attributeName, functions.isA,
                          functions.getTypeID)
      .def_classmethod(
          "get",
          [functions](const nb::object &cls, nb::object value,
                      MlirContext context) {
            int32_t number = caseNumber(functions.enumName, value);
            return cls(checked(context, [&](MlirLocation location) {
              return functions.getChecked(location, number);
            }));
          },
          "cls"_a, "value"_a, "context"_a.none() = nb::none(),
          "The attribute of a case: the enumeration's, its number or its word.")
      .def_property_readonly(
          "value",
          [functions](MlirAttribute self) {
            return enumClass(functions.enumName)(functions.getValue(self));
          },
          "The case, of the enumeration of the dialect.");
}

static void bindEnums(nb::module_ &m) {
#define TILE_ENUM(Name)                                                        \
  bindEnum(m, {#Name "Attr", #Name, tileAttributeIsA##Name,                    \
               tile##Name##AttrGetTypeID, tile##Name##AttrGetChecked,          \
               tile##Name##AttrGetValue})
  TILE_ENUM(WarpPolicy);
  TILE_ENUM(ReduceKind);
  TILE_ENUM(AtomicKind);
  TILE_ENUM(Precision);
  TILE_ENUM(CopyInstruction);
  TILE_ENUM(MmaInstruction);
  TILE_ENUM(EvictionPolicy);
#undef TILE_ENUM
}

//===----------------------------------------------------------------------===//
// Memory spaces, targets, tunables
//===----------------------------------------------------------------------===//

static void bindSpace(nb::module_ &m, const char *name,
                      bool (*isA)(MlirAttribute), MlirTypeID (*getTypeID)(),
                      MlirAttribute (*get)(MlirContext)) {
  mlir_attribute_subclass(m, name, isA, getTypeID)
      .def_classmethod(
          "get",
          [get](const nb::object &cls, MlirContext context) {
            return cls(get(context));
          },
          "cls"_a, "context"_a.none() = nb::none(), "The memory space.");
}

static void bindSpaces(nb::module_ &m) {
#define TILE_SPACE(Name)                                                       \
  bindSpace(m, #Name "Attr", tileAttributeIsA##Name,                           \
            tile##Name##AttrGetTypeID, tile##Name##AttrGet)
  TILE_SPACE(FragmentSpace);
  TILE_SPACE(LocalSpace);
  TILE_SPACE(TensorMemorySpace);
#undef TILE_SPACE
}

static void bindTarget(nb::module_ &m) {
  mlir_attribute_subclass(m, "TargetAttr", tileAttributeIsATarget,
                          tileTargetAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::string &arch,
             const std::string &device, MlirContext context) {
            return cls(checked(context, [&](MlirLocation location) {
              return tileTargetAttrGetChecked(location, toC(arch), toC(device));
            }));
          },
          "cls"_a, "arch"_a, "device"_a = "", "context"_a.none() = nb::none(),
          "The target of an architecture (\"sm_90a\") and, perhaps, a GPU.")
      .def_property_readonly("arch", tileTargetAttrGetArch)
      .def_property_readonly("device", tileTargetAttrGetDevice);
}

static void bindTunables(nb::module_ &m) {
  mlir_attribute_subclass(m, "TunableAttr", tileAttributeIsATunable,
                          tileTunableAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::string &name,
             const std::vector<int64_t> &values, MlirContext context) {
            return cls(tileTunableAttrGet(context, toC(name), toC(values)));
          },
          "cls"_a, "name"_a, "values"_a, "context"_a.none() = nb::none(),
          "A number that a kernel leaves open, and the values it may have.")
      .def_property_readonly("name", tileTunableAttrGetName)
      .def_property_readonly("values", [](MlirAttribute self) {
        return list(tileTunableAttrGetValues(self));
      });
  mlir_attribute_subclass(m, "TunedAttr", tileAttributeIsATuned,
                          tileTunedAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::string &attribute,
             MlirAffineMap value) {
            return cls(tileTunedAttrGet(mlirAffineMapGetContext(value),
                                        toC(attribute), value));
          },
          "cls"_a, "attribute"_a, "value"_a,
          "An attribute of a kernel as a map of its tunables.")
      .def_property_readonly("attribute", tileTunedAttrGetAttribute)
      .def_property_readonly("value", tileTunedAttrGetValue);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static void bindCopyPlan(nb::module_ &m) {
  mlir_attribute_subclass(m, "CopyPlanAttr", tileAttributeIsACopyPlan,
                          tileCopyPlanAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, nb::object instruction, int64_t bytes,
             MlirContext context) {
            int32_t number = caseNumber("CopyInstruction", instruction);
            return cls(checked(context, [&](MlirLocation location) {
              return tileCopyPlanAttrGetChecked(location, number, bytes);
            }));
          },
          "cls"_a, "instruction"_a, "bytes"_a, "context"_a.none() = nb::none(),
          "The instruction of a copy, and the bytes a thread moves at a time.")
      .def_property_readonly("instruction",
                             [](MlirAttribute self) {
                               return enumClass("CopyInstruction")(
                                   tileCopyPlanAttrGetInstruction(self));
                             })
      .def_property_readonly("bytes", tileCopyPlanAttrGetBytes);
}

//===----------------------------------------------------------------------===//
// What is asked of a move, what is decided
//===----------------------------------------------------------------------===//

/// The number of a case; -1 for None, which the C interface takes for "not
/// stated".
static int32_t caseOrNone(const char *name, nb::handle value) {
  return value.is_none() ? -1 : caseNumber(name, value);
}
static nb::object caseOrNone(const char *name, int32_t number) {
  return number < 0 ? nb::none() : enumClass(name)(number);
}
static int64_t numberOrNone(const char *name, std::optional<int64_t> value) {
  if (value && *value < 1)
    throw nb::value_error(("expected a positive " + std::string(name) +
                           ", got " + std::to_string(*value))
                              .c_str());
  return value.value_or(-1);
}
static std::optional<int64_t> numberOrNone(int64_t number) {
  return number < 0 ? std::nullopt : std::optional(number);
}
static std::optional<MlirAttribute> attributeOrNone(MlirAttribute attribute) {
  return mlirAttributeIsNull(attribute) ? std::nullopt
                                        : std::optional(attribute);
}

static void bindMoveRequest(nb::module_ &m) {
  mlir_attribute_subclass(m, "MoveRequestAttr", tileAttributeIsAMoveRequest,
                          tileMoveRequestAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, nb::object prefer, bool disableTma,
             std::optional<int64_t> coalescedWidth, nb::object evictionPolicy,
             MlirContext context) {
            TileMoveRequest request = {
                caseOrNone("CopyInstruction", prefer), disableTma,
                numberOrNone("coalesced_width", coalescedWidth),
                caseOrNone("EvictionPolicy", evictionPolicy)};
            return cls(checked(context, [&](MlirLocation location) {
              return tileMoveRequestAttrGetChecked(location, request);
            }));
          },
          "cls"_a, "prefer"_a = nb::none(), "disable_tma"_a = false,
          "coalesced_width"_a = nb::none(), "eviction_policy"_a = nb::none(),
          "context"_a.none() = nb::none(), "What a program asks of a move.")
      .def_property_readonly("prefer",
                             [](MlirAttribute self) {
                               return caseOrNone(
                                   "CopyInstruction",
                                   tileMoveRequestAttrGetRequest(self).prefer);
                             })
      .def_property_readonly(
          "disable_tma",
          [](MlirAttribute self) {
            return tileMoveRequestAttrGetRequest(self).disableTma;
          })
      .def_property_readonly(
          "coalesced_width",
          [](MlirAttribute self) {
            return numberOrNone(
                tileMoveRequestAttrGetRequest(self).coalescedWidth);
          })
      .def_property_readonly("eviction_policy", [](MlirAttribute self) {
        return caseOrNone("EvictionPolicy",
                          tileMoveRequestAttrGetRequest(self).evictionPolicy);
      });
}

static void bindMoveDecision(nb::module_ &m) {
  mlir_attribute_subclass(m, "MoveDecisionAttr", tileAttributeIsAMoveDecision,
                          tileMoveDecisionAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, std::optional<MlirAttribute> layout,
             std::optional<MlirAttribute> plan,
             std::optional<int64_t> multicast,
             const std::vector<int64_t> &multicastAlong, bool inside,
             const std::vector<int64_t> &groups, bool inFront,
             MlirContext context) {
            TileMoveDecision decision = {
                layout.value_or(MlirAttribute{nullptr}),
                plan.value_or(MlirAttribute{nullptr}),
                numberOrNone("multicast", multicast),
                toC(multicastAlong),
                inside,
                inFront,
                toC(groups)};
            return cls(checked(context, [&](MlirLocation location) {
              return tileMoveDecisionAttrGetChecked(location, decision);
            }));
          },
          "cls"_a, "layout"_a = nb::none(), "plan"_a = nb::none(),
          "multicast"_a = nb::none(),
          "multicast_along"_a = std::vector<int64_t>(), "inside"_a = false,
          "groups"_a = std::vector<int64_t>(), "in_front"_a = false,
          "context"_a.none() = nb::none(), "What is decided of a move.")
      .def_property_readonly(
          "layout",
          [](MlirAttribute self) {
            return attributeOrNone(
                tileMoveDecisionAttrGetDecision(self).layout);
          })
      .def_property_readonly("plan",
                             [](MlirAttribute self) {
                               return attributeOrNone(
                                   tileMoveDecisionAttrGetDecision(self).plan);
                             })
      .def_property_readonly(
          "multicast",
          [](MlirAttribute self) {
            return numberOrNone(
                tileMoveDecisionAttrGetDecision(self).multicast);
          })
      .def_property_readonly(
          "multicast_along",
          [](MlirAttribute self) {
            return list(tileMoveDecisionAttrGetDecision(self).multicastAlong);
          })
      .def_property_readonly(
          "inside",
          [](MlirAttribute self) {
            return tileMoveDecisionAttrGetDecision(self).inside;
          })
      .def_property_readonly(
          "in_front",
          [](MlirAttribute self) {
            return tileMoveDecisionAttrGetDecision(self).inFront;
          })
      .def_property_readonly("groups", [](MlirAttribute self) {
        return list(tileMoveDecisionAttrGetDecision(self).groups);
      });
}

static void bindMmaPlan(nb::module_ &m) {
  mlir_attribute_subclass(m, "MmaPlanAttr", tileAttributeIsAMmaPlan,
                          tileMmaPlanAttrGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, nb::object instruction, int64_t rows,
             int64_t columns, int64_t depth, std::pair<int64_t, int64_t> warps,
             bool pair, bool swapped, MlirContext context) {
            TileMmaPlan plan = {caseNumber("MmaInstruction", instruction),
                                rows,
                                columns,
                                depth,
                                warps.first,
                                warps.second,
                                pair,
                                swapped};
            return cls(checked(context, [&](MlirLocation location) {
              return tileMmaPlanAttrGetChecked(location, plan);
            }));
          },
          "cls"_a, "instruction"_a, "m"_a, "n"_a, "k"_a, "warps"_a,
          "pair"_a = false, "swapped"_a = false,
          "context"_a.none() = nb::none(),
          "The instruction of a gemm, its shape, and the grid of warps.")
      .def_property_readonly("instruction",
                             [](MlirAttribute self) {
                               return enumClass("MmaInstruction")(
                                   tileMmaPlanAttrGetPlan(self).instruction);
                             })
      .def_property_readonly(
          "shape",
          [](MlirAttribute self) {
            TileMmaPlan plan = tileMmaPlanAttrGetPlan(self);
            return nb::make_tuple(plan.m, plan.n, plan.k);
          },
          "(m, n, k) of one instruction.")
      .def_property_readonly(
          "warps",
          [](MlirAttribute self) {
            TileMmaPlan plan = tileMmaPlanAttrGetPlan(self);
            return nb::make_tuple(plan.warpsM, plan.warpsN);
          },
          "Warps along m and along n.")
      .def_property_readonly(
          "pair",
          [](MlirAttribute self) { return tileMmaPlanAttrGetPlan(self).pair; },
          "Whether two blocks multiply as one.")
      .def_property_readonly(
          "swapped",
          [](MlirAttribute self) {
            return tileMmaPlanAttrGetPlan(self).swapped;
          },
          "Whether the instructions multiply the transposed operands.");
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A number for each of one case or several.
static std::vector<int32_t> caseNumbers(const char *name, nb::handle values) {
  std::vector<int32_t> numbers;
  if (nb::isinstance<nb::str>(values) || nb::isinstance<nb::int_>(values))
    return {caseNumber(name, values)};
  for (nb::handle value : values)
    numbers.push_back(caseNumber(name, value));
  return numbers;
}

static nb::object ringType(const nb::object &cls, int64_t stages,
                           const std::vector<MlirType> &buffers,
                           nb::object producer, nb::object consumers,
                           MlirContext context) {
  int32_t filler = caseNumber("RingProducer", producer);
  std::vector<int32_t> readers = caseNumbers("RingConsumer", consumers);
  return cls(checked(context, [&](MlirLocation location) {
    return tileRingTypeGetChecked(
        location, stages, static_cast<intptr_t>(buffers.size()), buffers.data(),
        filler, static_cast<intptr_t>(readers.size()), readers.data());
  }));
}

static void bindTypes(nb::module_ &m) {
  mlir_type_subclass(m, "RingType", tileTypeIsARing, tileRingTypeGetTypeID)
      .def_classmethod("get", ringType, "cls"_a, "stages"_a, "buffers"_a,
                       "producer"_a, "consumers"_a,
                       "context"_a.none() = nb::none(),
                       "A ring of `stages` slots; a slot has the buffers, is "
                       "filled by one RingProducer and read by one "
                       "RingConsumer or several.")
      .def_property_readonly("stages", tileRingTypeGetStages)
      .def_property_readonly("buffers",
                             [](MlirType self) {
                               nb::list buffers;
                               intptr_t size = tileRingTypeGetNumBuffers(self);
                               for (intptr_t i = 0; i < size; ++i)
                                 buffers.append(tileRingTypeGetBuffer(self, i));
                               return buffers;
                             })
      .def_property_readonly("producer",
                             [](MlirType self) {
                               return enumClass("RingProducer")(
                                   tileRingTypeGetProducer(self));
                             })
      .def_property_readonly(
          "consumers",
          [](MlirType self) {
            nb::list consumers;
            nb::object side = enumClass("RingConsumer");
            intptr_t size = tileRingTypeGetNumConsumers(self);
            for (intptr_t i = 0; i < size; ++i)
              consumers.append(side(tileRingTypeGetConsumer(self, i)));
            return consumers;
          })
      .def_property_readonly("uses_mbarriers", tileRingTypeUsesMbarriers,
                             "Whether threads of different roles may fill and "
                             "read.");
  mlir_type_subclass(m, "MbarrierType", tileTypeIsAMbarrier,
                     tileMbarrierTypeGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, int64_t count, MlirContext context) {
            return cls(checked(context, [&](MlirLocation location) {
              return tileMbarrierTypeGetChecked(location, count);
            }));
          },
          "cls"_a, "count"_a, "context"_a.none() = nb::none(),
          "Barriers that count arrivals of threads.")
      .def_property_readonly("count", tileMbarrierTypeGetCount);
  mlir_type_subclass(m, "TokenType", tileTypeIsAToken, tileTokenTypeGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, MlirContext context) {
            return cls(tileTokenTypeGet(context));
          },
          "cls"_a, "context"_a.none() = nb::none(),
          "An asynchronous operation in flight.");
}

NB_MODULE(_mlirDialectsTile, m) {
  m.doc() = "Types and attributes of the tile dialect.";
  bindSpaces(m);
  bindEnums(m);
  bindLayouts(m);
  bindTarget(m);
  bindTunables(m);
  bindCopyPlan(m);
  bindMmaPlan(m);
  bindMoveRequest(m);
  bindMoveDecision(m);
  bindTypes(m);
}
