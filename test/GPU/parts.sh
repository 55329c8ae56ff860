# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by check_all.sh, check_cores.sh and check_schedules.sh: commands that are the parts of a check, which may run side by side. Each has
# its output in $out/NAME.log, and $out/NAME.passed where all was right.

# need COUNT ARGUMENT...: ends the script with its line of usage where there are fewer arguments.
need() {
  (($# > $1)) && return
  sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2
  exit 2
}

# part NAME COMMAND...: runs a part.
part() {
  local name=$1 start=$SECONDS status
  shift
  rm -f "$out/$name.passed"
  "$@" >"$out/$name.log" 2>&1
  status=$?
  ((status)) || touch "$out/$name.passed"
  echo "== $name: exit status $status, $((SECONDS - start)) s"
}

# counted COMMAND...: a command whose last line counts what passed and failed (Fuzz/shards.sh), which its exit status does not.
counted() {
  "$@" 2>&1 | awk '{ print } END { exit $0 !~ /^[0-9]+ passed, 0 failed$/ }'
}

# report NAME LINES: the end of a part's output; fails where the part did.
report() {
  echo "-- $1"
  tail -n "$2" "$out/$1.log" | cut -c1-300
  [[ -f $out/$1.passed ]]
}

# install_python WHEEL TILELANG: $python is an interpreter with the wheel and the machine's own PyTorch and NumPy; TileLang's
# repository, from what `git archive` wrote of it, lies in $work/tilelang.
install_python() {
  python3 -m venv --system-site-packages "$work/venv"
  # The machine's own virtual environment is seen from ours.
  python3 -c 'import site; print("\n".join(site.getsitepackages()))' >"$(echo "$work"/venv/lib/python3*/site-packages)/machine.pth"
  python=$work/venv/bin/python
  "$python" -m pip install -q --no-index --no-deps --force-reinstall "$1" || exit 1
  mkdir -p "$work/tilelang" && tar -xJf "$2" -C "$work/tilelang"
  (cd "$work/tilelang" && git init -q && git add -A -f && git -c user.name=x -c user.email=x@x commit -q -m x)
}
