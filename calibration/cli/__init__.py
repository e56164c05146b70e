"""The verbs of the command ``jaxcontact``, one file for each. What takes long to import is imported
by the verb that needs it.
"""
