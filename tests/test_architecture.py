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


class Names:
    """What the names of a module stand for, as far as its assignments and imports say: whether a
    type is ``Any``, by whatever name.
    """

    def __init__(self) -> None:
        self.modules: dict[str, dict[str, ast.expr | tuple[str, str]]] = {}

    def of(self, module: str) -> dict[str, ast.expr | tuple[str, str]]:
        """For each name of a module of ours the expression it is assigned, or the module and the
        name it is imported from (an empty one: the module itself).
        """
        if module not in self.modules:
            path = ROOT / module.replace(".", "/")
            path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            body = ast.parse(path.read_text(encoding="utf-8")).body if path.is_file() else []
            self.modules[module] = dict(self._stated(body))
        return self.modules[module]

    def _stated(self, body: list[ast.stmt]) -> Iterator[tuple]:
        for node in body:
            if isinstance(node, ast.If):  # TYPE_CHECKING
                yield from self._stated(node.body + node.orelse)
            elif isinstance(node, ast.Assign):
                yield from ((t.id, node.value) for t in node.targets if isinstance(t, ast.Name))
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if node.value is not None:
                    yield node.target.id, node.value
            elif isinstance(node, ast.ImportFrom):
                yield from ((a.asname or a.name, (node.module, a.name)) for a in node.names)
            elif isinstance(node, ast.Import):
                yield from ((a.asname or a.name, (a.name, "")) for a in node.names)

    def is_any(self, module: str, node: ast.expr | None) -> bool:
        """Whether a type, as it is written in a module, is ``Any`` or a union with it."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.is_any(module, ast.parse(node.value, mode="eval").body)
        if isinstance(node, ast.BinOp):
            return self.is_any(module, node.left) or self.is_any(module, node.right)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self.of(module).get(node.value.id)
            if not isinstance(owner, tuple):
                return False
            return self._is_any_name(".".join(filter(None, owner)), node.attr)
        return isinstance(node, ast.Name) and self._is_any_name(module, node.id)

    def _is_any_name(self, module: str, name: str) -> bool:
        if (module, name) == ("typing", "Any"):
            return True
        if module.split(".")[0] not in PACKAGES:
            return False
        meaning = self.of(module).get(name)
        if isinstance(meaning, tuple):
            return self._is_any_name(*meaning)
        return self.is_any(module, meaning)


def test_any_is_found_by_whatever_name(tmp_path, monkeypatch):
    """So that the next test cannot be satisfied by giving ``Any`` another name."""
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    monkeypatch.setitem(globals(), "PACKAGES", ("package",))
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("from package.types import Real as Number\n")
    (package / "types.py").write_text(
        "from typing import Any, TypeAlias\nimport typing as t\n"
        "Real = Any\nTree: TypeAlias = t.Any\nWhole = int\nMaybe = Whole | Real\n"
    )
    (package / "user.py").write_text(
        "from typing import Any\nimport package as p\nfrom package import Number, types\n"
        "from package.types import Tree, Whole, Maybe\n"
    )
    types = {
        written: Names().is_any("package.user", ast.parse(written, mode="eval").body)
        for written in (
            *("Any", "Number", "Tree", "Maybe", "p.Number", "types.Tree", "Any | None", "'Any'"),
            *("Whole", "types.Whole", "int | None", "list[Any]", "None"),
        )
    }
    assert list(types.values()) == [True] * 8 + [False] * 5, types


@pytest.mark.parametrize("package", PACKAGES)
def test_types_of_public_functions_say_something(package):
    """`Any`, by whatever name, tells neither a reader nor a type checker what to pass."""
    names, total, vague = Names(), 0, []
    for path in python_files(package):
        if path.stem.startswith("_") and path.stem != "__init__":
            continue
        for name, arguments, returned in public_signatures(path):
            types = annotations(arguments, returned)
            total += len(types)
            inside = path.parent if path.stem == "__init__" else path.with_suffix("")
            module = ".".join(inside.relative_to(ROOT).parts)
            bare = sum(names.is_any(module, node) for node in types)
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
