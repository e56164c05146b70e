"""How motions are seen: positions on pictures, sounds of impacts, forces, distances; one file for
each.
"""
