"""What each test costs: processor seconds, and how many of them are spent on making programs.

`pytest --cpu-times FILE` writes one JSON object per test. Processor seconds are those of this
process and of the processes that it started and waited for, so they hardly depend on what else
runs on the machine. Tracing, lowering and compiling are JAX's own durations, in seconds of the
clock.
"""

import json
import os
from collections import defaultdict

import jax.monitoring
import pytest

# Names that JAX gives to the stages, and those of this file.
_STAGES = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}
_CACHE_HIT = "/jax/compilation_cache/cache_hits"


class CpuTimes:
    """Plugin that measures every test, in all processes of a run, and writes the file."""

    def __init__(self, path):
        self.path = path
        self.rows = []
        self.stages = defaultdict(float)
        jax.monitoring.register_event_duration_secs_listener(self._add_duration)
        jax.monitoring.register_event_listener(self._add_event)

    def _add_duration(self, event, duration, **_):
        if event in _STAGES:
            self.stages[_STAGES[event]] += duration
            if _STAGES[event] == "compile":
                self.stages["programs"] += 1

    def _add_event(self, event, **_):
        if event == _CACHE_HIT:
            self.stages["from_cache"] += 1

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.stages.clear()
        self._start = _cpu_seconds()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if call.when == "teardown":
            cost = {"cpu": _cpu_seconds() - self._start, **self.stages}
            cost["slow"] = item.get_closest_marker("slow") is not None
            report.user_properties.append(("cost", cost))
        return report

    def pytest_runtest_logreport(self, report):
        cost = dict(report.user_properties).get("cost")
        if report.when == "teardown" and cost:
            self.rows.append({"test": report.nodeid, **cost})

    def pytest_sessionfinish(self, session):
        if not hasattr(session.config, "workerinput"):
            self.path.write_text(json.dumps(self.rows, indent=0))


def _cpu_seconds() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
