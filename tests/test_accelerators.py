"""Reads what a compiler writes, without one; and every public function is on the report."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest

import jmetrics
from benchmarks._hlo import cost_of
from benchmarks._limits import misses
from benchmarks._programs import programs
from jmetrics import inference, losses

HLO = """\
HloModule jit_f, is_scheduled=true

%less (a: f32[], b: f32[], c: s32[], d: s32[]) -> pred[] {
  %a = f32[]{:T(128)} parameter(0)
  %b = f32[]{:T(128)} parameter(1)
  ROOT %lt = pred[]{:T(512)} compare(%a, %b), direction=LT
}

%fused (p: f32[50000], q: s32[40000]) -> f32[40000,1] {
  %p = f32[50000]{0:T(1024)} parameter(0)
  %q = s32[40000]{0} parameter(1)
  %column = s32[40000,1]{1,0} bitcast(%q)
  ROOT %g = f32[40000,1]{1,0} gather(%p, %column), offset_dims={1}, index_vector_dim=1
}

%inner (t: (s32[], f32[6,30000])) -> (s32[], f32[6,30000]) {
  %t = (s32[]{:T(128)}, f32[6,30000]{1,0:T(8,128)(2,1)S(1)}) parameter(0)
  %k = f32[6,30000]{1,0:T(8,128)} get-tuple-element(%t), index=1
  %v = s32[6,30000]{1,0} iota(), iota_dimension=1
  %s = (f32[6,30000]{1,0:T(8,128)}, s32[6,30000]{1,0}) sort(%k, %v), dimensions={1}, \
to_apply=%less
  ROOT %out = (s32[], f32[6,30000]{1,0}) tuple(%t#0, %s#0)
}

%outer (t2: (s32[], f32[6,30000])) -> (s32[], f32[6,30000]) {
  %t2 = (s32[], f32[6,30000]{1,0}) parameter(0)
  ROOT %w2 = (s32[], /*index=1*/f32[6,30000]{1,0}) while(%t2), condition=%yes, body=%inner, \
backend_config={"known_trip_count":{"n":"5"},"known_init_step":{"init":"0","step":"1"}}
}

%yes (t3: (s32[], f32[6,30000])) -> pred[] {
  %t3 = (s32[], f32[6,30000]{1,0}) parameter(0)
  ROOT %true = pred[] constant(true)
}

ENTRY %main (x: f32[50000], i: s32[40000], y: (s32[], f32[6,30000])) -> f32[40000,1] {
  %x = f32[50000]{0} parameter(0), metadata={op_name="x"}
  %i = s32[40000]{0} parameter(1)
  %y = (s32[], f32[6,30000]{1,0}) parameter(2)
  %cub = (u32[1,50000]{1,0}, u8[999]{0}) custom-call(%x), \
custom_call_target="xla.gpu.ext.cub_sort_keys", api_version=API_VERSION_TYPED_FFI
  %w = (s32[], f32[6,30000]{1,0}) while(%y), condition=%yes, body=%outer, \
backend_config={"known_trip_count":{"n":"3"}}
  %unknown = (s32[], f32[6,30000]{1,0}) while(%w), condition=%yes, body=%yes
  %two = f32[2]{0} slice(%x), slice={[0:2]}
  %at = s32[2,1]{1,0} constant({...})
  %few = f32[50000]{0} scatter(%x, %at, %two), inserted_window_dims={0}, index_vector_dim=1, \
to_apply=%less
  ROOT %f = f32[40000,1]{1,0} fusion(%x, %i), kind=kLoop, calls=%fused
}
"""


def test_counts_what_runs() -> None:
    cost = cost_of(HLO)
    assert cost.vendor_sorts == 1
    assert cost.own_sorts == {"f32,s32[6,30000]": 15}
    assert cost.own_length == 30_000
    assert cost.trips == 3 + 3 * 5 + 1
    assert cost.open_loops == 1
    assert (cost.scatters, cost.large_scatters) == (1, 0)
    assert (cost.gathers, cost.large_gathers) == (1, 1)


def test_limits() -> None:
    figures = {**cost_of(HLO)._asdict(), "seconds": 21.0, "moved": None}
    assert misses("gpu", "max_error", figures) == [
        "19 > 8 trips",
        "30,000 > 22,000 in a row of an own sort",
    ]
    assert misses("tpu", "max_error", figures) == ["21 > 20 s to compile"]
    assert misses("tpu", "kendall_tau", figures) == []


@pytest.mark.parametrize("module", [jmetrics, losses, inference], ids=lambda m: m.__name__)
def test_every_public_function_is_compiled(module: ModuleType) -> None:
    functions = {name for name in module.__all__ if inspect.isfunction(getattr(module, name))}
    compiled = {label.replace("-", " ").replace(",", " ").split()[0] for label in programs()}
    assert functions - compiled <= {"checked"}
