"""A field of the page for each option of a study, made from its declaration as the flags of the
command line are.
"""

import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement

from calibration.errors import InputError
from calibration.studies.option import Option, as_toml, from_toml, options
from calibration.studies.study import Section

Change = Callable[[type[Section], str, Any], None]
"""Is called with section, name and value of an option, ``None`` where its field was emptied."""

FLAG_WORDS = {True: "yes", False: "no"}


def show_fields(
    section: type[Section], given: Mapping[str, Any], change: Change
) -> dict[str, ValueElement]:
    """A field for each option of a section, with what is given.

    Args:
        section: whose options are shown.
        given: values by name.
        change: called when a field has changed.

    Returns:
        the fields by name; one whose value is set has changed, too.
    """
    fields = {}
    for name, option in options(section).items():
        field = _field(name, option, given.get(name), partial(change, section, name))
        fields[name] = field.mark(f"{section.section}.{name}")
    return fields


def label_of(name: str) -> str:
    """What stands above the field of an option."""
    return name.replace("_", " ")


def _field(name: str, option: Option, value: Any, change: Callable[[Any], None]) -> ValueElement:
    label, kind = label_of(name), option.kind
    shown = "" if option.default is None else f" [default: {_default(option.default)}]"
    element: ui.select | ui.input
    with ui.column().classes("w-full gap-0"):
        if kind.typed is bool or (kind.names is not None and kind.typed is str and not kind.parse):
            choices = FLAG_WORDS if kind.typed is bool else list(kind.names() if kind.names else ())
            element = ui.select(
                choices,
                label=label,
                value=value if value in choices else None,
                clearable=True,
                on_change=lambda event: change(event.value),
            )
        else:
            element = ui.input(
                label=label,
                value="" if value is None else value if isinstance(value, str) else as_toml(value),
                on_change=lambda event: change(
                    value_meant(option, event.value) if event.value else None
                ),
            )
        element.classes("w-full")
        ui.label(f"{option.about[:1].upper()}{option.about[1:]}.{shown}").classes("small")
    return element


def _default(value: Any) -> str:
    """A default in the words that its field offers."""
    if isinstance(value, bool):
        return FLAG_WORDS[value]
    return value if isinstance(value, str) else as_toml(value)


def value_meant(option: Option, text: str) -> Any:
    """What is meant by a text: a value as in a study file, or as on the command line; where it is
    neither the text itself, which the option refuses when it is checked; ``None`` of no text.
    """
    kind = option.kind
    if not text.strip():
        return None
    if kind.typed is str and kind.parse is None:
        return text.strip()
    value = from_toml(text)
    if kind.parse is not None and isinstance(value, str):
        with contextlib.suppress(InputError):
            return kind.parse([text] if kind.typed == list[str] else text)
    return value
