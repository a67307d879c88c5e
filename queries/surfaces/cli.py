"""The root command. Verbs are found by name in an entry-point group and loaded when used.

`beliefgraph --help` reads the first line of each verb's documentation from its source, so that
listing a verb imports nothing of it; `beliefgraph ask` never loads what `run` needs. Errors of
ours come out as one sentence and its remedy on stderr, with the exit code of their category.
"""

from __future__ import annotations

import ast
import errno
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata, util
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from lakehouse.model.errors import (
    EXIT_CODES,
    BeliefgraphError,
    ConfigurationError,
    InputError,
    UnavailableError,
)

GROUP: Final = "beliefgraph.commands"
DISTRIBUTION: Final = "beliefgraph"
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141


class Commands(click.Group):
    """A group whose commands are entry points, each loaded when it is used."""

    def __init__(
        self, *args: Any, entry_points: Iterable[metadata.EntryPoint] | None = None, **rest: Any
    ) -> None:
        super().__init__(*args, **rest)
        self._given = entry_points

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs, in the order in which a newcomer meets them, others behind."""
        return sorted(self._entry_points(), key=_rank)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb, loaded now; None where there is none of that name."""
        found = self._entry_points().get(cmd_name)
        if found is None:
            return None
        command = found.load()
        if not isinstance(command, click.Command):
            raise ConfigurationError(
                f"{found.value}, registered as {cmd_name!r}, is not a command",
                remedy=f"Correct the entry-point group {GROUP}.",
            )
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs with the first line of their documentation, none of them imported."""
        found = self._entry_points()
        rows = [(name, _first_line(found[name].value)) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and turn what went wrong into words and an exit code."""
        given = list(sys.argv[1:] if args is None else args)
        if not standalone_mode:
            return super().main(given, prog_name, complete_var, standalone_mode=False, **extra)
        as_json = "--json" in given
        try:
            _check_text(given)
            code = super().main(given, prog_name, complete_var, standalone_mode=False, **extra)
            sys.stdout.flush()
        except BrokenPipeError:
            _silence()
            sys.exit(BROKEN_PIPE)
        except click.Abort:
            click.echo("interrupted", err=True)
            sys.exit(INTERRUPTED)
        except click.ClickException as wrong:
            _misused(wrong, as_json)
        except BeliefgraphError as error:
            _failed(error, as_json)
        except Exception as failed:
            if isinstance(failed, OSError) and failed.errno == errno.ENOSPC:
                _silence()
                _failed(_full(failed), as_json)
            _check_catalog_file(as_json)
            raise
        sys.exit(code if isinstance(code, int) else 0)

    def _entry_points(self) -> dict[str, metadata.EntryPoint]:
        if self._given is not None:
            return {point.name: point for point in self._given}
        found = {point.name: point for point in metadata.entry_points(group=GROUP)}
        if not found:
            raise ConfigurationError(
                "no command is registered: the distribution beliefgraph is not installed here",
                remedy="Install it into this environment: pip install beliefgraph "
                "(in a checkout: pip install -e .).",
            )
        return found


def report(error: BeliefgraphError, *, as_json: bool) -> None:
    """The one error shape, on stderr: a sentence and its remedy, or the same as JSON."""
    if as_json:
        click.echo(json.dumps({"error": error.as_record()}, ensure_ascii=False), err=True)
        return
    click.echo(f"error: {error.message}", err=True)
    if error.remedy:
        click.echo(f"  {error.remedy}", err=True)


def _failed(error: BeliefgraphError, as_json: bool) -> NoReturn:
    report(error, as_json=as_json)
    sys.exit(EXIT_CODES[error.category])


def _check_catalog_file(as_json: bool) -> None:
    """Leave with the reason where PyIceberg, which reads this file at its import, could not."""
    from lakehouse import catalog_file  # noqa: PLC0415  (only a failure needs it)

    try:
        catalog_file.read(os.environ)
    except ConfigurationError as error:
        _failed(error, as_json)


def _misused(wrong: click.ClickException, as_json: bool) -> NoReturn:
    if as_json and not isinstance(wrong, click.exceptions.NoArgsIsHelpError):
        record = {
            "category": "input",
            "message": wrong.format_message(),
            "remedy": "See --help.",
            "facts": {},
        }
        click.echo(json.dumps({"error": record}, ensure_ascii=False), err=True)
    else:
        wrong.show()
    sys.exit(wrong.exit_code)


def _check_text(given: Sequence[str]) -> None:
    """InputError for an argument that is no UTF-8: the shell's bytes came as half characters."""
    for word in given:
        try:
            word.encode()
        except UnicodeEncodeError as wrong:
            raise InputError(
                f"the argument {word!a} is not UTF-8 text",
                remedy="Write it in UTF-8; a file of such a name must be given another.",
            ) from wrong


def _full(failed: OSError) -> UnavailableError:
    return UnavailableError(
        f"a disk is full: {failed}",
        remedy="Make room, then run the same command again. What was printed so far may lack its "
        "end, and what was not finished is not visible.",
    )


def _silence() -> None:
    """Nobody reads us any more: what the interpreter flushes on leaving goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


_KNOWN: Final[Mapping[str, int]] = {
    name: rank
    for rank, name in enumerate(
        (
            "demo",
            "up",
            "status",
            "land",
            "run",
            "rebuild",
            "ask",
            "verify",
            "quarantine",
            "lake",
            "doctor",
            "vault",
            "down",
        ),
    )
}


def _rank(name: str) -> tuple[int, str]:
    return _KNOWN.get(name, len(_KNOWN)), name


def _first_line(target: str) -> str:
    """The first line of a function's docstring, read from its file; "" where it cannot be."""
    module, _, function = target.partition(":")
    top, *inner = module.split(".")
    try:
        package = util.find_spec(top)
    except (ImportError, ValueError):
        return ""
    if package is None or not package.submodule_search_locations:
        return ""
    file = Path(package.submodule_search_locations[0], *inner).with_suffix(".py")
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError):
        return ""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return (ast.get_docstring(node) or "").partition("\n")[0]
    return ""


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    try:
        version = metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        version = "not installed"
    click.echo(f"{DISTRIBUTION} {version}")
    ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Print the version and leave.",
)
def main() -> None:
    """What was believed, when, and from where.

    Each command tells more with --help, and prints JSON with --json where it prints data.

    \b
    Exit codes: 0 done · 1 a fault of ours · 2 wrong input
    3 done, but records were refused · 65 graph and lake, or a file, differ
    66 erased · 69 not there, or not up · 75 somebody else was first
    78 wrong settings · 130 interrupted
    """
