"""No line of ours runs what a file says, opens a port, or calls a shell; what is fetched is verified."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.corpora.fetching.fetch import by_trust
from pipeline.corpora.sources import all_sources, find_sources
from tests.hardness.forked import _refuse

ROOT = Path(__file__).parents[2]
FILES = sorted(path for part in ("pipeline", "stages", "benchmarks") for path in (ROOT / part).rglob("*.py"))
# Modules that unpickle, run code out of files, offer a service, or read XML without a guard against bombs.
FORBIDDEN = {
    "pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal", "code", "codeop",
    "http.server", "socketserver", "xmlrpc", "wsgiref", "flask", "fastapi", "uvicorn", "aiohttp", "gradio",
    "xml.sax", "xml.dom", "lxml", "pty", "telnetlib",
}  # fmt: skip
LOADS = {"from_pretrained", "from_config"}  # of transformers' Auto classes
ELEMENT_TREE = {"ParseError"}  # the exception that defusedxml's parser raises


def complaints(tree: ast.AST) -> Iterator[str]:
    """What in a file is against the rules, as ``LINE: what``."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (f"{node.lineno}: import {name.name}" for name in names if _forbidden(name.name))
            case ast.ImportFrom(module=str(module), names=names):
                if _forbidden(module) or any(_forbidden(f"{module}.{name.name}") for name in names):
                    yield f"{node.lineno}: from {module}"
                if module == "xml.etree.ElementTree" and {name.name for name in names} - ELEMENT_TREE:
                    yield f"{node.lineno}: XML without defusedxml"
            case ast.Call(func=ast.Name(id=("eval" | "exec" | "compile" | "__import__") as name)):
                if ast.unparse(node) != "exec('')":  # nothing is run (stages/cli.py)
                    yield f"{node.lineno}: {name}()"
            case ast.Call(func=ast.Attribute(attr=attribute) as function):
                called = ast.unparse(function)
                given = {word.arg: ast.unparse(word.value) for word in node.keywords}
                if called in ("os.system", "os.popen", "tempfile.mktemp") or attribute in (
                    "extractall",
                    "extract",
                ):
                    yield f"{node.lineno}: {called}()"
                if attribute in ("bind", "listen") and "socket" in called:
                    yield f"{node.lineno}: {called}()"
                if called == "torch.load" and given.get("weights_only") != "True":
                    yield f"{node.lineno}: torch.load without weights_only=True"
                if called.startswith("yaml.") and "load" in attribute and not attribute.startswith("safe"):
                    loader = ast.unparse(node.args[1]) if len(node.args) > 1 else given.get("Loader", "")
                    if "Safe" not in loader:
                        yield f"{node.lineno}: {called} without a safe loader"
                if given.get("allow_pickle", "False") != "False":
                    yield f"{node.lineno}: {called} runs what it reads"
                if attribute in LOADS and called.startswith("Auto") and "trust_remote_code" not in given:
                    yield f"{node.lineno}: {called} asks standard input whether to run a model's code"
                if given.get("shell", "False") != "False" or given.get("verify", "True") != "True":
                    yield f"{node.lineno}: {called}(shell=... or verify=...)"
    for node in ast.walk(tree):
        for word in node.keywords if isinstance(node, ast.Call) else []:
            # ``trusted``: the user named the model in a flag (tests/hardness/test_foreign_models.py).
            if word.arg == "trust_remote_code" and ast.unparse(word.value) not in ("False", "trusted"):
                yield f"{node.lineno}: {ast.unparse(node.func)} runs what it reads"


def _forbidden(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in FORBIDDEN)


def test_no_file_breaks_the_rules() -> None:
    assert len(FILES) > 200
    found = [
        f"{path.relative_to(ROOT)}:{complaint}"
        for path in FILES
        for complaint in complaints(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "import pickle", "from joblib import load", "import xml.sax", "from http import server", "eval('1')",
        "torch.load(path)", "torch.load(path, weights_only=False)", "np.load(path, allow_pickle=True)",
        "yaml.load(text)", "yaml.load(text, yaml.Loader)", "yaml.full_load_all(text)",
        "subprocess.run('ls', shell=True)", "archive.extractall(folder)", "os.system('ls')",
        "requests.get(url, verify=False)", "AutoModel.from_pretrained(x, trust_remote_code=True)",
        "AutoModel.from_pretrained(x)", "AutoModel.from_config(x)",
        "SentenceTransformer(x, trust_remote_code=True)",
        "from xml.etree.ElementTree import parse", "socket.socket().bind(address)",
    ],
)  # fmt: skip
def test_the_rules_see_what_they_forbid(line: str) -> None:
    assert list(complaints(ast.parse(line)))


@pytest.mark.parametrize("event", ["socket.bind", "pickle.find_class", "os.system"])
def test_a_stage_that_opened_a_port_or_unpickled_would_fail(event: str) -> None:
    """Every stage and tool of the other tests runs under this hook (``forked._refuse``)."""
    with pytest.raises(AssertionError, match=event):
        _refuse(event, ("x",))
    _refuse("open", ("x",))


def test_what_is_fetched_is_verified_wherever_its_bytes_are_known() -> None:
    """Fetching compares them (tests/corpora/test_fetching.py); origin.json names what nobody could verify."""
    sources = all_sources()
    for source in sources:
        for location in filter(lambda each: each.verified, source.locations):
            assert all(file.sha256 and file.bytes for file in location.files), source.name
    unknown = [source.name for source in sources if not by_trust(source)[0].verified]
    assert len(unknown) <= 4, unknown
    for name in unknown:
        for location in find_sources(name)[0].locations:
            assert location.kind == "hf" or location.at.startswith("https://"), name
    assert all(source.verified for source in find_sources("wikipedia-introductions-en"))
