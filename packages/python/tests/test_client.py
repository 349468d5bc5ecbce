import http.server
import json
import threading
import unittest
from typing import Any

from svc_voice import Client, SvcError, pages

KEY = "svc_sk_" + "k" * 43


class FakeService:
    """A real HTTP server that gives the test's answers and records the requests."""

    def __init__(self, *answers: tuple[int, Any, dict[str, str]]) -> None:
        self.received: list[tuple[str, str, dict[str, str], bytes]] = []
        waiting = list(answers)
        received = self.received

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                received.append((self.command, self.path, headers, body))
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
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


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

    def test_no_answer_and_another_answer_have_codes(self) -> None:
        with self.assertRaises(SvcError) as raised:
            Client("http://127.0.0.1:9", KEY, retries=0).keys.list()
        self.assertEqual((raised.exception.code, raised.exception.status), ("unreachable", 0))
        service = self.service((200, b"<html>", {}))
        with self.assertRaises(SvcError) as raised:
            Client(service.url, KEY).keys.list()
        self.assertEqual(raised.exception.code, "unexpected_answer")

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


if __name__ == "__main__":
    unittest.main()
