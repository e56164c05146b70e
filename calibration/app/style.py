"""Colours of both themes, each readable (WCAG AA); a focus that is seen; and an uploader without
the list and the button of its own: the page has a list from which files can be removed.
"""

STYLE = """
:root { --paper: #ffffff; --wrong: #a32020; --changed: #7a4f00; --small: #4b5563 }
body { --q-primary: #0067a3 !important }
body.body--dark { --q-primary: #5ab4ec !important; --paper: #121212;
  --wrong: #ff8f85; --changed: #e8b65a; --small: #b6bec6 }
.body--dark .q-btn.bg-primary .q-btn__content, .body--dark .q-uploader__title { color: #16181a }
body a.nicegui-link { color: var(--q-primary) }
.body--dark .nicegui-echart { filter: invert(1) hue-rotate(180deg) }
.body--dark .nicegui-log { background: #212427 }
.wrong { color: var(--wrong) }
.changed { color: var(--changed) }
.small { color: var(--small); font-size: .75rem }
:focus-visible { outline: 2px solid var(--q-primary) }
.q-btn:focus-visible { box-shadow: 0 0 0 2px var(--paper), 0 0 0 4px var(--q-primary) }
.q-uploader__header a.q-btn { display: none }
.q-uploader__list, .q-uploader__subtitle { display: none }
.q-uploader { min-height: 6rem }
"""
"""Style sheet of the page."""
