"""What all verbs of the command share: the application, and how they print."""

import typer
from rich.console import Console

app = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def standard_output() -> Console:
    """A file or a pipe has no width; what is meant for it is not squeezed into 80 columns."""
    console = Console()
    return console if console.is_terminal else Console(width=110)


def standard_error() -> Console:
    """Where progress goes."""
    return Console(stderr=True)


def print_lines(*lines: str) -> None:
    """Lines as they are, for tables of ours and names of files."""
    for line in lines:
        print(line)
