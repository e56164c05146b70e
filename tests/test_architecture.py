"""What docs/architecture.md promises and a reader of the files can check: small folders, no hook
that is found by its name, types that say something. Layers are checked by `make lint`.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("jaxcontact", "calibration")

FILES_IN_A_FOLDER = 25

# Attributes asked of objects whose type others own: how many in each file, and why.
FOREIGN = {
    "calibration/cli/main.py": (1, "a stream that a caller put in place of sys.stdout"),
    "calibration/report/json.py": (1, "arrays of any library"),
    "jaxcontact/laws/core/registry.py": (2, "named tuples and arrays of any library"),
    "jaxcontact/parameters.py": (1, "the __post_init__ of a class that becomes a model"),
    "jaxcontact/scene/bodies.py": (1, "arrays of any library, and placeholders of JAX"),
    "jaxcontact/sensitivity/differentiated.py": (2, "the keys of a path in a tree of JAX"),
    "jaxcontact/sensitivity/jacobian.py": (2, "leaves of any tree"),
    "jaxcontact/testing/law_contract.py": (2, "arrays of any library"),
}


# Largest part of the types in public signatures that may be `Any`.
ANY_AT_MOST = 0.02


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def test_no_folder_has_more_files_than_a_reader_takes_in():
    files = Counter(path.parent for path in python_files(*PACKAGES, "tests", "experiments"))
    crowded = {str(folder): n for folder, n in files.items() if n > FILES_IN_A_FOLDER}
    assert not crowded


def searches(path: Path) -> Iterator[ast.Call]:
    """Calls that find out whether an object has an attribute, or read one that its type does not
    declare. ``getattr(table, name)`` with a name from the data is none: it is there, or fails.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        reads_data = len(node.args) == 2 and not isinstance(node.args[1], ast.Constant)
        if node.func.id == "hasattr" or (node.func.id == "getattr" and not reads_data):
            yield node


def test_hooks_are_declared_and_not_looked_up_by_name():
    """An interface declares every hook with its default, so nothing is left to look up."""
    found = {}
    for path in python_files(*PACKAGES):
        calls = [f"line {call.lineno}: {ast.unparse(call)}" for call in searches(path)]
        name = path.relative_to(ROOT).as_posix()
        allowed, _ = FOREIGN.get(name, (0, ""))
        if len(calls) > allowed:
            found[name] = calls
    assert not found


def public_signatures(path: Path) -> Iterator[tuple[str, ast.arguments, ast.expr | None]]:
    """Public functions and methods of a file: name, arguments, type of what they return."""

    def inside(body: list[ast.stmt], prefix: str) -> Iterator[tuple]:
        for node in body:
            public = not getattr(node, "name", "_").startswith("_")
            if isinstance(node, ast.ClassDef) and public:
                yield from inside(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef) and public:
                yield prefix + node.name, node.args, node.returns

    yield from inside(ast.parse(path.read_text(encoding="utf-8")).body, "")


def annotations(arguments: ast.arguments, returned: ast.expr | None) -> list[ast.expr]:
    listed = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        *filter(None, (arguments.vararg, arguments.kwarg)),
    ]
    stated = [argument.annotation for argument in listed] + [returned]
    return [annotation for annotation in stated if annotation is not None]


@pytest.mark.parametrize("package", PACKAGES)
def test_types_of_public_functions_say_something(package):
    """`Any` alone tells neither a reader nor a type checker what to pass."""
    total, vague = 0, []
    for path in python_files(package):
        if path.stem.startswith("_") and path.stem != "__init__":
            continue
        for name, arguments, returned in public_signatures(path):
            types = annotations(arguments, returned)
            total += len(types)
            bare = sum(isinstance(node, ast.Name) and node.id == "Any" for node in types)
            vague += [f"{path.relative_to(ROOT)}: {name}"] * bare
    share = len(vague) / total
    listed = "\n  ".join(dict.fromkeys(vague))
    report = f"{package}: {len(vague)} of {total} types are Any, {share:.1%}\n  {listed}"
    print(report)
    assert share <= ANY_AT_MOST, report


def test_tests_that_share_compiled_code_run_in_one_process(request):
    """Several processes that compile the same functions take twice the time, and nothing else shows
    it. pytest-xdist marks what it keeps together by a suffix of the name.
    """
    if not request.config.getoption("loadgroup", default=False):
        pytest.skip("needs several processes, as `make test` has")
    assert request.node.nodeid.endswith("@test_architecture")
