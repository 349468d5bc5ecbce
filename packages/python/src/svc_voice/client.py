# The types of this module are in client.pyi, which `npm run openapi` generates.
import json
import keyword
import os
import urllib.parse
from pathlib import Path

from .http import Request, send

REQUESTS = json.loads((Path(__file__).parent / "requests.json").read_text("utf-8"))


class Client:
    """A client with one method for each operation, by family and name: `client.tests.list(limit=5)`."""

    def __init__(self, url=None, api_key=None, *, timeout=30.0, retries=2):
        self._url = (url or os.environ.get("SVC_URL") or "http://127.0.0.1:3100").rstrip("/")
        self._api_key = api_key or os.environ.get("SVC_API_KEY")
        self._timeout = timeout
        self._retries = retries

    def __getattr__(self, family):
        if family.startswith("_") or family not in REQUESTS:
            raise AttributeError(f"the service has no operations {family!r}")
        operations = Operations(self, family)
        setattr(self, family, operations)
        return operations

    def _call(self, shape, members):
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

        is_repeatable = shape["method"] == "GET" or ("idempotencyKey" in headers and "idempotencyKey" in members)
        request = Request(shape["method"], self._url + path, sent, body, is_repeatable)
        also_answers = tuple(shape.get("alsoAnswers", ()))
        timeout = self._timeout + float(members.get("wait", 0))
        return send(request, timeout=timeout, retries=self._retries, also_answers=also_answers)


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
    while True:
        page = operation(**filters, **following)
        if "next_cursor" in page:
            yield from page["items"]
            following = {"cursor": page["next_cursor"]}
        else:
            yield from next(value for value in page.values() if isinstance(value, list))
            following = {"pageToken": page["nextPageToken"]}
        if None in following.values():
            return


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
