//===- TileLayout.cpp - layouts for Python --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FragmentLayoutAttr and SharedLayoutAttr with everything tile-c/Layout.h
// answers. mlir_tile/layout.py makes objects of it that are easier to use.
//
//===----------------------------------------------------------------------===//
#include "TileDialect.h"
#include "tile-c/Layout.h"

using namespace nb::literals;
using namespace mlir::python::nanobind_adaptors;
using namespace tile_python;

/// Modes in Python: tuples (extent, dimension, stride).
using ModeList = std::vector<std::tuple<int64_t, int64_t, int64_t>>;

static std::vector<int64_t> flatten(const ModeList &modes) {
  std::vector<int64_t> triples;
  for (auto [extent, dim, stride] : modes)
    triples.insert(triples.end(), {extent, dim, stride});
  return triples;
}

static ModeList modesOf(TileIntegers triples) {
  ModeList modes;
  for (intptr_t i = 0; i + 2 < triples.size; i += 3)
    modes.emplace_back(triples.data[i], triples.data[i + 1],
                       triples.data[i + 2]);
  return modes;
}

static std::string print(MlirAttribute layout, int32_t form) {
  std::string text;
  tileLayoutPrint(layout, form, appendText, &text);
  return text;
}

static TileIntegers shapeOf(MlirAttribute layout) {
  return tileAttributeIsAFragmentLayout(layout)
             ? tileFragmentLayoutAttrGetShape(layout)
             : tileSharedLayoutAttrGetShape(layout);
}

/// An IndexError where coordinates do not lie inside of the shape.
static void checkCoordinates(MlirAttribute layout,
                             const std::vector<int64_t> &at) {
  TileIntegers shape = shapeOf(layout);
  bool inside = static_cast<intptr_t>(at.size()) == shape.size;
  for (intptr_t i = 0; inside && i < shape.size; ++i)
    inside = at[i] >= 0 && at[i] < shape.data[i];
  if (inside)
    return;
  std::string text = "expected coordinates inside of [";
  for (intptr_t i = 0; i < shape.size; ++i)
    text += (i ? ", " : "") + std::to_string(shape.data[i]);
  text += "], got [";
  for (size_t i = 0; i < at.size(); ++i)
    text += (i ? ", " : "") + std::to_string(at[i]);
  throw nb::index_error((text + "]").c_str());
}

static void checkDim(MlirAttribute layout, int64_t dim) {
  if (dim < 0 || dim >= shapeOf(layout).size)
    throw nb::index_error(("expected a dimension below " +
                           std::to_string(shapeOf(layout).size) + ", got " +
                           std::to_string(dim))
                              .c_str());
}

/// What both kinds of layouts have.
static void bindCommon(mlir_attribute_subclass &cls) {
  cls.def_property_readonly(
      "shape", [](MlirAttribute self) { return list(shapeOf(self)); });
  cls.def_property_readonly(
      "period",
      [](MlirAttribute self) {
        std::vector<int64_t> extents(shapeOf(self).size);
        tileLayoutGetPeriod(self, extents.data());
        return extents;
      },
      "Extents of what is drawn; after it the picture repeats itself.");
  cls.def(
      "describe",
      [](MlirAttribute self) { return print(self, TILE_LAYOUT_WORDS); },
      "The layout in words.");
  cls.def(
      "cute", [](MlirAttribute self) { return print(self, TILE_LAYOUT_CUTE); },
      "The layout in CuTe's notation.");
  cls.def(
      "svg", [](MlirAttribute self) { return print(self, TILE_LAYOUT_SVG); },
      "A picture of one period, below a megabyte.");
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

static std::vector<int64_t> sizesOf(MlirAttribute layout) {
  std::vector<int64_t> sizes;
  for (int32_t axis = TILE_AXIS_REGISTER; axis <= TILE_AXIS_BLOCK; ++axis)
    sizes.push_back(tileFragmentLayoutGetSize(layout, axis));
  return sizes;
}

static nb::object elementAt(MlirAttribute self, int64_t reg, int64_t lane,
                            int64_t warp, int64_t block) {
  const int64_t index[4] = {reg, lane, warp, block};
  std::vector<int64_t> sizes = sizesOf(self);
  for (int i = 0; i < 4; ++i)
    if (index[i] < 0 || index[i] >= sizes[i])
      throw nb::index_error(
          ("expected register, lane, warp and block below " +
           std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " +
           std::to_string(sizes[2]) + " and " + std::to_string(sizes[3]) +
           ", got " + std::to_string(reg) + ", " + std::to_string(lane) + ", " +
           std::to_string(warp) + " and " + std::to_string(block))
              .c_str());
  std::vector<int64_t> at(shapeOf(self).size);
  if (!tileFragmentLayoutGetCoordinates(self, index, at.data()))
    return nb::none();
  return nb::tuple(nb::cast(at));
}

static nb::list ownersOf(MlirAttribute self, const std::vector<int64_t> &at) {
  checkCoordinates(self, at);
  nb::list owners;
  tileFragmentLayoutGetOwners(
      self, at.data(),
      [](const int64_t index[4], void *list) {
        static_cast<nb::list *>(list)->append(
            nb::make_tuple(index[TILE_AXIS_REGISTER], index[TILE_AXIS_LANE],
                           index[TILE_AXIS_WARP], index[TILE_AXIS_BLOCK]));
      },
      &owners);
  return owners;
}

static nb::tuple conversion(MlirAttribute self, MlirAttribute other) {
  if (!tileAttributeIsAFragmentLayout(other))
    throw nb::type_error("expected a FragmentLayoutAttr");
  std::vector<std::string> said;
  auto collect = [](MlirStringRef text, void *list) {
    static_cast<std::vector<std::string> *>(list)->emplace_back(text.data,
                                                                text.length);
  };
  if (!tileFragmentLayoutConversion(self, other, collect, &said))
    throw nb::value_error(said.front().c_str());
  return nb::make_tuple(said[0], said[1]);
}

static void bindFragmentMakers(mlir_attribute_subclass &cls) {
  cls.def_classmethod(
      "get",
      [](const nb::object &cls, const std::vector<int64_t> &shape,
         const ModeList &reg, const ModeList &lane, const ModeList &warp,
         const ModeList &block, MlirContext context) {
        const std::vector<int64_t> flat[4] = {flatten(reg), flatten(lane),
                                              flatten(warp), flatten(block)};
        const TileIntegers axes[4] = {toC(flat[0]), toC(flat[1]), toC(flat[2]),
                                      toC(flat[3])};
        return cls(checked(context, [&](MlirLocation location) {
          return tileFragmentLayoutAttrGetChecked(location, toC(shape), axes);
        }));
      },
      "cls"_a, "shape"_a, "reg"_a, "lane"_a, "warp"_a = ModeList(),
      "block"_a = ModeList(), "context"_a.none() = nb::none(),
      "The layout of modes (extent, dimension, stride), fastest first; "
      "dimension -1 replicates.");
  cls.def_classmethod(
      "parse_cute",
      [](const nb::object &cls, const std::string &text,
         const std::vector<int64_t> &shape, MlirContext context) {
        return cls(checked(context, [&](MlirLocation location) {
          return tileFragmentLayoutParseCute(location, toC(text), toC(shape));
        }));
      },
      "cls"_a, "text"_a, "shape"_a, "context"_a.none() = nb::none(),
      "From CuTe's notation: threads, then registers, over a tile of `shape`.");
  cls.def_classmethod(
      "blocked",
      [](const nb::object &cls, const std::vector<int64_t> &shape,
         int64_t threads, int64_t vector, nb::object given,
         MlirContext context) {
        std::vector<int64_t> order;
        if (given.is_none())
          for (size_t i = shape.size(); i; --i)
            order.push_back(static_cast<int64_t>(i) - 1);
        else
          order = nb::cast<std::vector<int64_t>>(given);
        return cls(checked(context, [&](MlirLocation location) {
          return tileFragmentLayoutGetBlocked(location, toC(shape), threads,
                                              vector, toC(order));
        }));
      },
      "cls"_a, "shape"_a, "threads"_a, "vector"_a = 1,
      "order"_a.none() = nb::none(), "context"_a.none() = nb::none(),
      "A coalesced layout: `vector` consecutive elements a thread along "
      "order[0] (the last dimension by default), then threads.");
}

static void bindFragment(nb::module_ &m) {
  mlir_attribute_subclass cls(m, "FragmentLayoutAttr",
                              tileAttributeIsAFragmentLayout,
                              tileFragmentLayoutAttrGetTypeID);
  bindFragmentMakers(cls);
  bindCommon(cls);
  static const std::pair<const char *, int32_t> kAxes[] = {
      {"reg", TILE_AXIS_REGISTER},
      {"lane", TILE_AXIS_LANE},
      {"warp", TILE_AXIS_WARP},
      {"block", TILE_AXIS_BLOCK}};
  for (auto [name, axis] : kAxes)
    cls.def_property_readonly(
        name,
        [axis = axis](MlirAttribute self) {
          return modesOf(tileFragmentLayoutAttrGetModes(self, axis));
        },
        "Modes (extent, dimension, stride) of the axis, fastest first.");
  cls.def_property_readonly("sizes", sizesOf,
                            "Registers, lanes, warps and blocks.");
  cls.def_property_readonly("replication", tileFragmentLayoutGetReplication,
                            "Threads that hold one element, at most.");
  cls.def_property_readonly("is_bijective", tileFragmentLayoutIsBijective,
                            "Whether every element has exactly one holder.");
  cls.def_property_readonly("overshoots", tileFragmentLayoutOvershoots,
                            "Whether some registers lie outside of the shape.");
  cls.def("element", elementAt, "reg"_a, "lane"_a, "warp"_a = 0, "block"_a = 0,
          "Coordinates of what a register holds; None outside of the shape.");
  cls.def("owners", ownersOf, "coordinates"_a,
          "Holders (register, lane, warp, block) of an element.");
  cls.def("conversion", conversion, "other"_a,
          "What turns this layout into another, and why not by less.");
  cls.def(
      "is_equivalent",
      [](MlirAttribute self, MlirAttribute other) {
        return tileAttributeIsAFragmentLayout(other) &&
               tileFragmentLayoutIsEquivalent(self, other);
      },
      "other"_a, "Whether both are the same map, however spelled.");
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

static void bindSharedMakers(mlir_attribute_subclass &cls) {
  cls.def_classmethod(
      "get",
      [](const nb::object &cls, const std::vector<int64_t> &shape,
         int64_t elementBits, const ModeList &modes,
         const std::vector<int64_t> &swizzle, MlirContext context) {
        std::vector<int64_t> flat = flatten(modes);
        return cls(checked(context, [&](MlirLocation location) {
          return tileSharedLayoutAttrGetChecked(
              location, toC(shape), elementBits, toC(flat), toC(swizzle));
        }));
      },
      "cls"_a, "shape"_a, "element_bits"_a, "modes"_a,
      "swizzle"_a = std::vector<int64_t>(), "context"_a.none() = nb::none(),
      "The layout of modes (extent, dimension, stride in elements), and a "
      "swizzle (bits, base, shift) of the byte address.");
  cls.def_classmethod(
      "parse_cute",
      [](const nb::object &cls, const std::string &text, int64_t elementBits,
         MlirContext context) {
        return cls(checked(context, [&](MlirLocation location) {
          return tileSharedLayoutParseCute(location, toC(text), elementBits);
        }));
      },
      "cls"_a, "text"_a, "element_bits"_a, "context"_a.none() = nb::none(),
      "From CuTe's notation: `Sw<3,3,3> o (128,64):(64,1)`.");
  cls.def_classmethod(
      "row_major",
      [](const nb::object &cls, const std::vector<int64_t> &shape,
         int64_t elementBits, int64_t padding, MlirContext context) {
        return cls(checked(context, [&](MlirLocation location) {
          return tileSharedLayoutGetRowMajor(location, toC(shape), elementBits,
                                             padding);
        }));
      },
      "cls"_a, "shape"_a, "element_bits"_a, "padding"_a = 0,
      "context"_a.none() = nb::none(),
      "Rows one behind the other, `padding` elements between them.");
  cls.def_classmethod(
      "swizzled",
      [](const nb::object &cls, const std::vector<int64_t> &shape,
         int64_t elementBits, bool panels, MlirContext context) {
        return cls(checked(context, [&](MlirLocation location) {
          return tileSharedLayoutGetSwizzled(location, toC(shape), elementBits,
                                             panels);
        }));
      },
      "cls"_a, "shape"_a, "element_bits"_a, "panels"_a = false,
      "context"_a.none() = nb::none(),
      "Swizzled so that 16-byte accesses to eight rows touch different banks; "
      "in panels of 128 bytes, as TMA writes them.");
}

/// A fragment and a buffer that can be asked about an access.
static void checkAccess(MlirAttribute shared, MlirAttribute fragment,
                        int64_t dim) {
  if (!tileAttributeIsAFragmentLayout(fragment))
    throw nb::type_error("expected a FragmentLayoutAttr");
  if (list(shapeOf(fragment)) != list(shapeOf(shared)))
    throw nb::value_error("expected two layouts of one shape");
  checkDim(shared, dim);
}

static int64_t bankConflicts(MlirAttribute self, MlirAttribute fragment,
                             int64_t dim, int64_t vector) {
  checkAccess(self, fragment, dim);
  int64_t widest = tileLayoutWidestVector(fragment, self, dim);
  if (!vector)
    vector = widest;
  if (vector < 1 || vector > widest || (vector & (vector - 1)))
    throw nb::value_error(
        ("expected a vector that is a power of two, at most " +
         std::to_string(widest) + ", got " + std::to_string(vector))
            .c_str());
  return tileLayoutBankConflicts(fragment, self, dim, vector);
}

static void bindShared(nb::module_ &m) {
  mlir_attribute_subclass cls(m, "SharedLayoutAttr",
                              tileAttributeIsASharedLayout,
                              tileSharedLayoutAttrGetTypeID);
  bindSharedMakers(cls);
  bindCommon(cls);
  cls.def_property_readonly("element_bits", tileSharedLayoutAttrGetElementBits);
  cls.def_property_readonly(
      "modes",
      [](MlirAttribute self) {
        return modesOf(tileSharedLayoutAttrGetModes(self));
      },
      "Modes (extent, dimension, stride in elements), fastest first.");
  cls.def_property_readonly(
      "swizzle",
      [](MlirAttribute self) {
        return list(tileSharedLayoutAttrGetSwizzle(self));
      },
      "(bits, base, shift), or nothing.");
  cls.def_property_readonly("size_in_bytes", tileSharedLayoutGetSizeInBytes);
  cls.def_property_readonly("alignment", tileSharedLayoutGetAlignment,
                            "Alignment of the buffer's start, in bytes.");
  cls.def(
      "byte_offset",
      [](MlirAttribute self, const std::vector<int64_t> &at) {
        checkCoordinates(self, at);
        return tileSharedLayoutGetByteOffset(self, at.data());
      },
      "coordinates"_a, "Bytes from the buffer's start to an element.");
  cls.def(
      "aligned_elements",
      [](MlirAttribute self, int64_t dim) {
        checkDim(self, dim);
        return tileSharedLayoutGetAlignedElements(self, dim);
      },
      "dim"_a, "Elements along a dimension that one access may take.");
  cls.def(
      "widest_vector",
      [](MlirAttribute self, MlirAttribute fragment, int64_t dim) {
        checkAccess(self, fragment, dim);
        return tileLayoutWidestVector(fragment, self, dim);
      },
      "fragment"_a, "dim"_a,
      "Elements along a dimension that an access from a fragment may take.");
  cls.def("bank_conflicts", bankConflicts, "fragment"_a, "dim"_a,
          "vector"_a = 0,
          "How many times as long the worst access from a fragment takes for "
          "conflicts of banks; 1 is free of them. 0: the widest vector.");
  cls.def(
      "matrix_conflicts",
      [](MlirAttribute self, int64_t rowDim, int64_t columnDim) {
        checkDim(self, rowDim);
        checkDim(self, columnDim);
        if (rowDim == columnDim)
          throw nb::value_error("expected two different dimensions");
        return tileSharedLayoutMatrixConflicts(self, rowDim, columnDim);
      },
      "row_dim"_a = 0, "column_dim"_a = 1,
      "The same of ldmatrix and stmatrix: eight rows of 16 bytes at a time.");
}

void tile_python::bindLayouts(nb::module_ &m) {
  bindFragment(m);
  bindShared(m);
}
