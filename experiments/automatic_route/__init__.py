"""The automatic route on recordings of which the truth is known, made by a simulator that shares no
code with the project.
"""
