"""Kinds of reference cases that are known but cannot run yet, and what is missing for each.

The only such table: whoever adds what is missing deletes the entry here and adds a runner beside
the others of that kind. A kind that is neither here nor has a runner fails.
"""

NOT_YET: dict[str, str] = {}
