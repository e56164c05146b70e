"""A local page for people who do not use a terminal: recordings are dropped onto it, looked at and
fitted by the functions that the command line calls.

Needs the extra ``app``, NiceGUI, which only ``page`` and what it shows import.
"""
