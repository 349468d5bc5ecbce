# The types of this module are in client.pyi, which `npm run openapi` generates.
import json
import keyword
import urllib.parse
from pathlib import Path

from .connection import send, send_async
from .http import Request
from .settings import client_key, client_url

REQUESTS = json.loads((Path(__file__).parent / "requests.json").read_text("utf-8"))


class Families:
    """The operations of the service by family and name, from the table in requests.json."""

    def __init__(self, url=None, api_key=None, *, timeout=30.0, retries=2):
        self._url = client_url(url)
        self._api_key = client_key(api_key)
        self._timeout = timeout
        self._retries = retries

    def __getattr__(self, family):
        if family.startswith("_") or family not in REQUESTS:
            raise AttributeError(f"the service has no operations {family!r}")
        operations = Operations(self, family)
        setattr(self, family, operations)
        return operations

    def _request(self, shape, members):
        members = {plain(name): value for name, value in members.items() if value is not None}
        path_names = [part[1:-1] for part in shape["path"].split("/") if part.startswith("{")]
        headers = shape.get("headers", {})
        is_otlp = shape.get("body") == "otlp"
        body_names = ["body", "contentType", "gzip"] if is_otlp else shape.get("body", [])
        check(members, {*path_names, *headers, *shape.get("query", []), *body_names})

        path = shape["path"]
        for name in path_names:
            if name not in members:
                raise TypeError(f"the operation needs {name}")
            path = path.replace("{" + name + "}", urllib.parse.quote(str(members[name]), safe=""))
        query = [(name, text) for name in shape.get("query", []) if name in members for text in texts(members[name])]
        if query:
            path += "?" + urllib.parse.urlencode(query)

        sent = {headers[name]: members[name] for name in headers if name in members}
        if self._api_key:
            sent["authorization"] = f"Bearer {self._api_key}"
        body = None
        if is_otlp:
            body = members["body"].encode() if isinstance(members["body"], str) else members["body"]
            sent["content-type"] = members["contentType"]
            if members.get("gzip"):
                sent["content-encoding"] = "gzip"
        elif "body" in shape:
            body = json.dumps({name: members[name] for name in body_names if name in members}).encode()
            sent["content-type"] = "application/json"

        return Request(
            method=shape["method"],
            base_url=self._url,
            path=path,
            headers=sent,
            body=body,
            is_repeatable=shape["method"] == "GET" or ("idempotencyKey" in headers and "idempotencyKey" in members),
            also_answers=tuple(shape.get("alsoAnswers", ())),
            timeout=self._timeout + float(members.get("wait", 0)),
            retries=self._retries,
        )


class Client(Families):
    """A client with one method for each operation, by family and name: `client.tests.list(limit=5)`."""

    def _call(self, shape, members):
        return send(self._request(shape, members))


class AsyncClient(Families):
    """A client whose methods are awaited: `await client.tests.list(limit=5)`."""

    async def _call(self, shape, members):
        return await send_async(self._request(shape, members))


class Operations:
    def __init__(self, client, family):
        self._client = client
        self._family = family

    def __getattr__(self, name):
        shape = REQUESTS[self._family].get(plain(name))
        if shape is None or shape.get("streams"):
            raise AttributeError(f"the service has no operation {self._family}.{name}")

        def call(**members):
            return self._client._call(shape, members)

        call.__name__ = name
        setattr(self, name, call)
        return call


def pages(operation, **filters):
    """Yields every item of a list, from all its pages: `pages(client.tests.list, limit=200)`."""
    following = {}
    while following is not None:
        page = operation(**filters, **following)
        yield from items_of(page)
        following = following_of(page)


async def async_pages(operation, **filters):
    """Yields every item of a list of an AsyncClient: `async for test in async_pages(client.tests.list)`."""
    following = {}
    while following is not None:
        page = await operation(**filters, **following)
        for item in items_of(page):
            yield item
        following = following_of(page)


def items_of(page):
    return page["items"] if "next_cursor" in page else next(value for value in page.values() if isinstance(value, list))


def following_of(page):
    """Returns the members that ask for the next page; None behind the last one."""
    name, value = ("cursor", page["next_cursor"]) if "next_cursor" in page else ("pageToken", page["nextPageToken"])
    return None if value is None else {name: value}


def plain(name):
    """Returns the service's name of a member: `from_` is `from`, which is a word of Python."""
    return name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name


def check(members, known):
    unknown = sorted(set(members) - known)
    if unknown:
        raise TypeError(f"the operation takes no {', '.join(unknown)}; it takes {', '.join(sorted(known))}")


def texts(value):
    values = value if isinstance(value, (list, tuple)) else [value]
    return [{True: "true", False: "false"}[one] if isinstance(one, bool) else str(one) for one in values]
