"""Only the page itself talks to its server: no page of the web does so from the same browser."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class OwnPages:
    """Refuses requests that a browser makes for a page of another origin, and lets no such page
    show this one in a frame, where a person could be led to press its buttons.

    A browser names the origin of the page with every request that could be misused, sockets among
    them. What names none is no page (RFC 6454).

    Args:
        app: what answers the others; the name of the host that they ask for has been checked.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI asks for it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin not in (None, f"http://{headers.get('host')}"):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                refused = PlainTextResponse("This page is of another origin.", status_code=403)
                await refused(scope, receive, send)
            return

        async def send_unframed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Content-Security-Policy"] = "frame-ancestors 'self'"
            await send(message)

        await self.app(scope, receive, send_unframed)
