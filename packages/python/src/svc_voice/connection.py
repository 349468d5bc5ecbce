"""The connections of both clients: one attempt at one request, with Python's standard library."""

from __future__ import annotations

import asyncio
import http.client
import io
import socket
import ssl
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import SplitResult, urlsplit

from .http import Answer, Attempts, Request


class WithoutRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, so that no other host gets the key."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


opener = urllib.request.build_opener(WithoutRedirects)


def send(request: Request) -> Any:
    """Returns the answer's JSON; None for 204. Raises SvcError for every other outcome."""
    attempts = Attempts(request)
    for pause in attempts:
        time.sleep(pause)
        try:
            attempts.take(attempt(request, attempts.left))
        except (OSError, http.client.HTTPException) as cause:
            attempts.fail(cause)
    return attempts.result()


def attempt(request: Request, timeout: float) -> Answer:
    wire = urllib.request.Request(request.url, request.body, request.headers, method=request.method)
    try:
        with opener.open(wire, timeout=timeout) as response:
            return Answer(response.status, response.headers, response.read())
    except urllib.error.HTTPError as refusal:
        with refusal:
            return Answer(refusal.code, refusal.headers, refusal.read())


async def send_async(request: Request) -> Any:
    """Does what `send` does, in the running event loop."""
    attempts = Attempts(request)
    for pause in attempts:
        await asyncio.sleep(pause)
        try:
            attempts.take(await asyncio.wait_for(attempt_async(request), attempts.left))
        except asyncio.TimeoutError:  # before Python 3.11 it is no OSError
            attempts.fail(TimeoutError())
        except (OSError, EOFError, http.client.HTTPException) as cause:
            attempts.fail(cause)
    return attempts.result()


async def attempt_async(request: Request) -> Answer:
    """Sends the request on a connection of its own, which ends with the attempt: also when the task is canceled."""
    url = urlsplit(request.url)
    sent = bytes_of(request, url.netloc)
    reader, writer = await connect(url)
    try:
        writer.write(sent)
        await writer.drain()
        return await answer_in(reader)
    except (ValueError, LookupError, asyncio.LimitOverrunError) as cause:
        raise http.client.HTTPException("the answer is no HTTP") from cause
    finally:
        # `close` would wait for the other side's end of TLS.
        writer.transport.abort()


async def connect(url: SplitResult) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connects to the first address of the host that answers; asyncio alone would hide the codes of several errors."""
    context = ssl.create_default_context() if url.scheme == "https" else None
    port = url.port or (443 if context else 80)
    found = await asyncio.get_running_loop().getaddrinfo(url.hostname, port, type=socket.SOCK_STREAM)
    error: OSError | None = None
    for *_, address in found:
        try:
            name = url.hostname if context else None
            return await asyncio.open_connection(str(address[0]), port, ssl=context, server_hostname=name)
        except OSError as cause:
            error = error or cause
    raise error or OSError("the host has no address")


def bytes_of(request: Request, host: str) -> bytes:
    target = request.url.split("://", 1)[1][len(host) :] or "/"
    headers = {"host": host, "connection": "close", "accept-encoding": "identity", **request.headers}
    if request.body is not None:
        headers["content-length"] = str(len(request.body))
    lines = [f"{request.method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a value of the request that goes into a header has a line break")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (request.body or b"")


async def answer_in(reader: asyncio.StreamReader) -> Answer:
    status = 0
    while status < 200:  # an answer below 200 comes before the real one
        line, _, rest = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")
        status = int(line.split(b" ", 2)[1])
    headers = http.client.parse_headers(io.BytesIO(rest))
    length = headers.get("content-length")
    if status in (204, 304):
        return Answer(status, headers, b"")
    if (headers.get("transfer-encoding") or "").lower() == "chunked":
        return Answer(status, headers, await chunks_in(reader))
    return Answer(status, headers, await (reader.read() if length is None else reader.readexactly(int(length))))


async def chunks_in(reader: asyncio.StreamReader) -> bytes:
    chunks: list[bytes] = []
    while True:
        size = int((await reader.readuntil(b"\r\n")).split(b";", 1)[0], 16)
        if size == 0:
            return b"".join(chunks)
        chunks.append(await reader.readexactly(size))
        await reader.readexactly(2)
