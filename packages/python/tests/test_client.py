import asyncio
import http.server
import json
import ssl
import threading
import unittest
import unittest.mock
from email.utils import formatdate
from pathlib import Path
from time import time
from typing import Any

from svc_voice import AsyncClient, Client, SvcError, async_pages, pages

KEY = "svc_sk_" + "k" * 43
CERTIFICATE = Path(__file__).parents[3] / "test/fixtures/tls"


class FakeService:
    """A real HTTP server that gives the test's answers and records the requests."""

    def __init__(self, *answers: tuple[int, Any, dict[str, str]], certificate: bool = False) -> None:
        self.received: list[tuple[str, str, dict[str, str], bytes]] = []
        waiting = list(answers)
        received = self.received
        may_answer = self.may_answer = threading.Event()
        may_answer.set()

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                received.append((self.command, self.path, headers, body))
                may_answer.wait()
                status, content, extra = waiting.pop(0) if len(waiting) > 1 else waiting[0]
                text = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in extra.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = answer

            def log_message(self, *_: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE / "trusted-by-nobody.crt", CERTIFICATE / "trusted-by-nobody.key")
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, args=[0.02], daemon=True).start()
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def failure(call: Any) -> SvcError:
    """Returns the SvcError of a call."""
    try:
        call()
    except SvcError as error:
        return error
    raise AssertionError("the call did not fail")


class ClientTest(unittest.TestCase):
    def service(self, *answers: tuple[int, Any, dict[str, str]]) -> FakeService:
        service = FakeService(*answers)
        self.addCleanup(service.close)
        return service

    def test_members_go_to_path_query_headers_and_body(self) -> None:
        service = self.service((200, {"run": {}}, {}))
        client = Client(service.url + "/", KEY)
        client.runs.create(agentId="agt_x", connectionId="con_x", suiteId="ste_x", dryRun=True, idempotencyKey="seven")
        client.runs.compare(runId="run_a/b", with_="run_c")
        (method, path, headers, body), (_, compared, _, _) = service.received
        self.assertEqual((method, path), ("POST", "/v1/runs?dryRun=true"))
        self.assertEqual(json.loads(body), {"agentId": "agt_x", "connectionId": "con_x", "suiteId": "ste_x"})
        self.assertEqual((headers["authorization"], headers["idempotency-key"]), (f"Bearer {KEY}", "seven"))
        self.assertEqual(compared, "/v1/runs/run_a%2Fb/comparison?with=run_c")

    def test_an_unknown_member_or_operation_is_refused(self) -> None:
        client: Any = Client("http://127.0.0.1:9", KEY)
        with self.assertRaisesRegex(TypeError, "takes no runid"):
            client.runs.get(runid="run_x")
        with self.assertRaisesRegex(TypeError, "needs runId"):
            client.runs.get()
        with self.assertRaises(AttributeError):
            client.changes.stream
        with self.assertRaises(AttributeError):
            client.nothing

    def test_a_refusal_has_its_code_details_and_retry_after(self) -> None:
        body = {"error": "version_conflict", "message": "Read it.", "details": {"current_version_id": "tstv_b"}}
        service = self.service((409, body, {"retry-after": "7"}))
        with self.assertRaises(SvcError) as raised:
            Client(service.url, KEY).tests.delete(testId="tst_x")
        error = raised.exception
        self.assertEqual((error.code, error.status, str(error)), ("version_conflict", 409, "Read it."))
        self.assertEqual((error.details, error.retry_after_seconds), ({"current_version_id": "tstv_b"}, 7))

    def test_reads_are_retried_and_writes_are_not(self) -> None:
        busy = (503, {"error": "unavailable", "message": "Later."}, {"retry-after": "0"})
        service = self.service(busy, (200, {"keys": []}, {}))
        self.assertEqual(Client(service.url, KEY).keys.list(), {"keys": []})
        self.assertEqual(len(service.received), 2)
        service = self.service(busy)
        with self.assertRaises(SvcError):
            Client(service.url, KEY).projects.create(name="n")
        self.assertEqual(len(service.received), 1)
        with self.assertRaises(SvcError):
            Client(service.url, KEY).runs.create(agentId="a", connectionId="c", suiteId="s", idempotencyKey="seven")
        self.assertEqual(len(service.received), 4)

    def test_no_answer_names_the_address_and_the_reason(self) -> None:
        error = failure(lambda: Client("http://127.0.0.1:9", KEY, retries=0).keys.list())
        self.assertEqual((error.code, error.status, error.reason), ("unreachable", 0, "ECONNREFUSED"))
        self.assertEqual(error.address, "http://127.0.0.1:9/api/keys")
        self.assertRegex(str(error), r"^http://127.0.0.1:9 refuses the connection \(ECONNREFUSED\). Start the service")
        self.assertIsInstance(error.__cause__, ConnectionRefusedError)

    def test_an_answer_after_the_time_limit_names_the_limit(self) -> None:
        service = self.service((200, {}, {}))
        service.may_answer.clear()
        self.addCleanup(service.may_answer.set)
        error = failure(lambda: Client(service.url, KEY, timeout=0.2, retries=0).keys.list())
        self.assertEqual((error.code, error.reason, error.timeout_seconds), ("unreachable", "timeout", 0.2))
        self.assertIn("did not answer within 0.2 s", str(error))

    def test_a_certificate_that_is_not_trusted_is_named(self) -> None:
        service = FakeService((200, {}, {}), certificate=True)
        self.addCleanup(service.close)
        error = failure(lambda: Client(service.url, KEY, retries=0).keys.list())
        self.assertEqual((error.code, error.reason), ("unreachable", "CERTIFICATE_VERIFY_FAILED"))
        self.assertRegex(str(error), "self.signed certificate.*SSL_CERT_FILE")

    def test_an_answer_of_a_proxy_is_told_apart(self) -> None:
        answers: list[tuple[int, Any, dict[str, str], str]] = [
            (503, b"", {}, "A proxy .*HTTP 503 without a body"),
            (502, b"<h1>Bad Gateway</h1>", {"content-type": "text/html; charset=utf-8"}, "A proxy .*HTTP 502 with a web page"),
            (504, b"upstream", {"content-type": "text/plain"}, "A proxy .*HTTP 504 with text/plain"),
            (200, b"<html>", {"content-type": "text/html"}, "does not come from the service .HTTP 200 with a web page"),
            (400, {"detail": "no"}, {}, "does not come from the service"),
            (307, b"", {"location": "http://127.0.0.1:9"}, "redirect"),
        ]
        for status, content, headers, message in answers:
            with self.subTest(message):
                service = self.service((status, content, headers))
                error = failure(lambda: Client(service.url, KEY, retries=0).keys.list())  # noqa: B023
                self.assertEqual((error.code, error.status), ("unexpected_answer", status))
                self.assertRegex(str(error), message)

    def test_the_address_and_the_key_come_from_the_environment(self) -> None:
        service = self.service((200, {"keys": []}, {}))
        with unittest.mock.patch.dict("os.environ", {"SVC_URL": service.url + "/", "SVC_API_KEY": KEY}):
            Client().keys.list()
            Client(api_key=False).keys.list()
        self.assertEqual([one[2].get("authorization") for one in service.received], [f"Bearer {KEY}", None])

    def test_a_missing_or_malformed_setting_is_refused_at_once(self) -> None:
        url = "http://127.0.0.1:9"
        cases: list[tuple[dict[str, Any], dict[str, str], str]] = [
            ({"api_key": KEY}, {}, "no address of the service: set SVC_URL, or pass url"),
            ({"url": "localhost:3100", "api_key": KEY}, {}, "the url is not an http address"),
            ({"api_key": KEY}, {"SVC_URL": "127.0.0.1:3100"}, "SVC_URL is not an http address"),
            ({"url": "http://a:secret@svc.test", "api_key": KEY}, {}, "remove the user, password"),
            ({"url": url}, {}, "no API key: set SVC_API_KEY, or pass api_key.*api_key=False"),
            ({"url": url, "api_key": ""}, {"SVC_API_KEY": KEY}, "no API key"),
            ({"url": url, "api_key": "svc_sk_secret"}, {}, "the api_key is not a complete key"),
            ({"url": url}, {"SVC_API_KEY": "secret"}, "SVC_API_KEY is not a complete key"),
        ]
        for settings, environment, message in cases:
            for client in (Client, AsyncClient):
                with self.subTest(message), unittest.mock.patch.dict("os.environ", environment, clear=True):
                    with self.assertRaisesRegex(ValueError, message) as raised:
                        client(**settings)
                    self.assertNotIn("secret", str(raised.exception))

    def test_a_far_date_of_retry_after_is_not_waited_for(self) -> None:
        body = {"error": "unavailable", "message": "Later."}
        service = self.service((503, body, {"retry-after": formatdate(time() + 60, usegmt=True), "x-request-id": "req_7"}))
        error = failure(lambda: Client(service.url, KEY).keys.list())
        self.assertGreater(error.retry_after_seconds or 0, 50)
        self.assertEqual((error.request_id, len(service.received)), ("req_7", 1))

    def test_the_client_follows_no_redirect(self) -> None:
        other = self.service((200, {}, {}))
        service = self.service((307, b"", {"location": other.url}))
        with self.assertRaises(SvcError):
            Client(service.url, KEY).keys.list()
        self.assertEqual(other.received, [])

    def test_pages_reads_lists_of_both_casings_to_the_end(self) -> None:
        service = self.service((200, {"items": [1], "next_cursor": "a"}, {}), (200, {"items": [2], "next_cursor": None}, {}))
        self.assertEqual(list(pages(Client(service.url, KEY).tests.list, limit=1)), [1, 2])
        self.assertEqual([path for _, path, _, _ in service.received], ["/api/tests?limit=1", "/api/tests?cursor=a&limit=1"])
        service = self.service((200, {"runs": [], "nextPageToken": "t"}, {}), (200, {"runs": [3], "nextPageToken": None}, {}))
        self.assertEqual(list(pages(Client(service.url, KEY).runs.list)), [3])


class AsyncClientTest(unittest.IsolatedAsyncioTestCase):
    def service(self, *answers: tuple[int, Any, dict[str, str]], certificate: bool = False) -> FakeService:
        service = FakeService(*answers, certificate=certificate)
        self.addCleanup(service.close)
        return service

    async def answering(self, *pieces: bytes) -> str:
        """Starts a server that sends these bytes and ends the connection; returns its address."""

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        self.addCleanup(server.close)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def failure(self, call: Any) -> SvcError:
        with self.assertRaises(SvcError) as raised:
            await call
        return raised.exception

    async def test_both_clients_send_the_same_request(self) -> None:
        service = self.service((200, {"run": {}}, {}))
        members: Any = {"agentId": "a", "connectionId": "c", "suiteId": "s", "dryRun": True, "idempotencyKey": "seven"}
        answers = [Client(service.url + "/", KEY).runs.create(**members), await AsyncClient(service.url, KEY).runs.create(**members)]
        body, kind = b"\x00\xff", "application/x-protobuf"
        Client(service.url, KEY).traces.ingest(body=body, contentType=kind, gzip=True)  # type: ignore[arg-type]
        await AsyncClient(service.url, KEY).traces.ingest(body=body, contentType=kind, gzip=True)  # type: ignore[arg-type]
        self.assertEqual(answers[0], answers[1])
        told = ("authorization", "idempotency-key", "content-type", "content-encoding", "host", "connection")
        sent = [
            (method, path, {name: headers.get(name) for name in told}, body)
            for method, path, headers, body in service.received
        ]
        self.assertEqual((sent[0], sent[2]), (sent[1], sent[3]))
        self.assertEqual(sent[3][3], body)

    async def test_refusals_retries_and_204(self) -> None:
        busy = (503, {"error": "unavailable", "message": "Later."}, {"retry-after": "0"})
        service = self.service(busy, (200, {"keys": []}, {}))
        self.assertEqual(await AsyncClient(service.url, KEY).keys.list(), {"keys": []})
        self.assertEqual(len(service.received), 2)
        service = self.service(busy)
        await self.failure(AsyncClient(service.url, KEY).projects.create(name="n"))
        self.assertEqual(len(service.received), 1)
        refused = self.service((409, {"error": "version_conflict", "message": "Read it."}, {"x-request-id": "req_7"}))
        error = await self.failure(AsyncClient(refused.url, KEY).tests.delete(testId="tst_x"))
        self.assertEqual((error.code, error.status, error.request_id), ("version_conflict", 409, "req_7"))
        empty: Any = AsyncClient(self.service((204, b"", {})).url, KEY)
        self.assertIsNone(await empty.tests.delete(testId="tst_x"))

    async def test_no_answer_names_the_reason(self) -> None:
        error = await self.failure(AsyncClient("http://127.0.0.1:9", KEY, retries=0).keys.list())
        self.assertEqual((error.code, error.reason, error.address), ("unreachable", "ECONNREFUSED", "http://127.0.0.1:9/api/keys"))
        local = await self.failure(AsyncClient("http://localhost:9", KEY, retries=0).keys.list())
        self.assertEqual(local.reason, "ECONNREFUSED")
        slow = self.service((200, {}, {}))
        slow.may_answer.clear()
        self.addCleanup(slow.may_answer.set)
        error = await self.failure(AsyncClient(slow.url, KEY, timeout=0.2, retries=0).keys.list())
        self.assertEqual((error.reason, error.timeout_seconds), ("timeout", 0.2))
        untrusted = self.service((200, {}, {}), certificate=True)
        error = await self.failure(AsyncClient(untrusted.url, KEY, retries=0).keys.list())
        self.assertEqual(error.reason, "CERTIFICATE_VERIFY_FAILED")

    async def test_an_answer_over_tls_is_read(self) -> None:
        service = self.service((200, {"keys": []}, {}), certificate=True)
        with unittest.mock.patch.dict("os.environ", {"SSL_CERT_FILE": str(CERTIFICATE / "trusted-by-nobody.crt")}):
            self.assertEqual(await AsyncClient(service.url, KEY).keys.list(), {"keys": []})

    async def test_every_form_of_an_answer_is_read(self) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
        forms = {
            "chunks": (head, b"transfer-encoding: chunked\r\n\r\n", b"5;x=y\r\n{\"key\r\n", b"7\r\ns\": []}\r\n0\r\n\r\n"),
            "until the end": (head, b"\r\n", b'{"keys"', b": []}"),
            "an answer before it": (b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n", head, b'\r\n{"keys": []}'),
        }
        for name, pieces in forms.items():
            with self.subTest(name):
                self.assertEqual(await AsyncClient(await self.answering(*pieces), KEY).keys.list(), {"keys": []})

    async def test_an_answer_that_breaks_off_or_is_no_http_is_no_answer(self) -> None:
        forms = {
            "a head": b"HTTP/1.1 200",
            "a body": b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}",
            "chunks": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{}",
            "another protocol": b"SSH-2.0-server\r\n\r\n",
            "an endless head": b"HTTP/1.1 200 OK\r\n" + b"x" * 100_000,
            "nothing": b"",
        }
        for name, answer in forms.items():
            with self.subTest(name):
                error = await self.failure(AsyncClient(await self.answering(answer), KEY, retries=0, timeout=5).keys.list())
                self.assertEqual((error.code, error.timeout_seconds), ("unreachable", None))

    async def test_canceling_a_call_ends_its_connection_at_once(self) -> None:
        asked, ended = asyncio.Event(), asyncio.Event()

        async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            asked.set()
            try:
                await reader.read()
            except ConnectionError:
                pass
            ended.set()
            writer.close()

        server = await asyncio.start_server(hang, "127.0.0.1", 0)
        self.addCleanup(server.close)
        client = AsyncClient(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", KEY)
        call = asyncio.ensure_future(client.keys.list())
        await asked.wait()
        call.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await call
        await asyncio.wait_for(ended.wait(), 10)

    async def test_no_value_can_add_a_header(self) -> None:
        client: Any = AsyncClient("http://127.0.0.1:9", KEY)
        with self.assertRaisesRegex(ValueError, "line break"):
            await client.runs.create(agentId="a", connectionId="c", suiteId="s", idempotencyKey="x\r\nhost: other")

    async def test_calls_run_at_the_same_time(self) -> None:
        service = self.service((200, {"keys": []}, {}))
        service.may_answer.clear()
        client = AsyncClient(service.url, KEY)
        calls = [asyncio.ensure_future(client.keys.list()) for _ in range(20)]
        while len(service.received) < 20:
            await asyncio.sleep(0.01)
        service.may_answer.set()
        self.assertEqual(await asyncio.gather(*calls), [{"keys": []}] * 20)

    async def test_async_pages_reads_lists_of_both_casings_to_the_end(self) -> None:
        service = self.service((200, {"items": [1], "next_cursor": "a"}, {}), (200, {"items": [2], "next_cursor": None}, {}))
        listed: list[Any] = [one async for one in async_pages(AsyncClient(service.url, KEY).tests.list, limit=1)]
        self.assertEqual(listed, [1, 2])
        self.assertEqual([path for _, path, _, _ in service.received], ["/api/tests?limit=1", "/api/tests?cursor=a&limit=1"])
        service = self.service((200, {"runs": [], "nextPageToken": "t"}, {}), (200, {"runs": [3], "nextPageToken": None}, {}))
        listed = [one async for one in async_pages(AsyncClient(service.url, KEY).runs.list)]
        self.assertEqual(listed, [3])


if __name__ == "__main__":
    unittest.main()
