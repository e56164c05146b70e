"""A page in the browser that does what the command line does, for people who use no terminal.

Needs the extra ``app``, NiceGUI, which only ``page`` and what it shows import.
"""
