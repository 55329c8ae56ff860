# The test format of the lit suite.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re

import lit.formats
import lit.Test


class TileTest(lit.formats.ShTest):
    """Shell tests, unsupported where they need a tool without sources."""

    def execute(self, test, lit_config):
        with open(test.getSourcePath(), encoding="utf-8", errors="replace") as source:
            commands = " ".join(line for line in source if "RUN:" in line)
        for tool in test.config.tile_tools:
            if tool in test.config.tile_built_tools:
                continue
            if re.search(rf"(?<![\w/-]){re.escape(tool)}(?![\w-])", commands):
                return lit.Test.Result(
                    lit.Test.UNSUPPORTED, f"tools/{tool} is not part of this checkout"
                )
        return super().execute(test, lit_config)
