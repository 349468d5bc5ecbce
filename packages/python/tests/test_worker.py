"""The worker's part, with stand-ins for the parts of livekit-agents and OpenTelemetry that it calls."""

import asyncio
import contextlib
import json
import os
import sys
import types
import unittest
from typing import Any
from unittest import mock

from svc_voice.export_session import export_session, problem_of
from svc_voice.livekit import monitor_platform_b
from svc_voice.mock_tools import create_mock
from svc_voice.session_events import SpeechTimes, listen
from svc_voice.settings import MockTools, read_settings
from test_client import FakeService

KEY = "svc_sk_" + "k" * 43


class SettingsTest(unittest.TestCase):
    def settings(self, **environment: str) -> Any:
        with mock.patch.dict(os.environ, environment, clear=True):
            return read_settings(None, None, False)

    def test_the_environment_gives_the_settings(self) -> None:
        tools = json.dumps({"names": ["book"], "token": "t"})
        settings = self.settings(
            SVC_URL="https://svc.test/voice/", SVC_API_KEY=f"{KEY}\n", SVC_SIMULATION_ID="sim_1", SVC_SIMULATION_TOOLS=tools
        )
        self.assertEqual(settings.traces_url, "https://svc.test/voice/v1/traces")
        self.assertEqual((settings.api_key, settings.service_name), (KEY, "livekit-agents"))
        self.assertEqual(settings.mock_tools, MockTools(["book"], "t", "https://svc.test/voice/v1/simulations/sim_1/tools/"))

    def test_each_wrong_setting_is_refused_with_the_remedy_and_without_its_value(self) -> None:
        cases = [
            ({}, "SVC_URL is not set"),
            ({"SVC_URL": "svc.test"}, "not an http address"),
            ({"SVC_URL": "https://svc.test/v1/traces"}, "remove /v1/traces"),
            ({"SVC_URL": "https://user:secret@svc.test"}, "address only"),
            ({"SVC_URL": "http://svc.test", "SVC_API_KEY": KEY}, "use https"),
            ({"SVC_URL": "http://127.0.0.1:3100"}, "SVC_API_KEY is not set"),
            ({"SVC_URL": "http://[::1]:3100", "SVC_API_KEY": "secret"}, "not a complete key"),
            (
                {
                    "SVC_URL": "http://localhost:3100",
                    "SVC_API_KEY": KEY,
                    "SVC_SIMULATION_ID": "s",
                    "SVC_SIMULATION_TOOLS": "[]",
                },
                "unset it",
            ),
        ]
        for environment, message in cases:
            with self.subTest(message), self.assertRaisesRegex(ValueError, message) as raised:
                self.settings(**environment)
            self.assertNotIn("secret", str(raised.exception))


class ExportSessionTest(unittest.TestCase):
    ORIGIN = "https://svc.test"

    def test_an_answer_that_a_person_has_to_act_on_says_what_to_do(self) -> None:
        page = {"content-type": "text/html; charset=utf-8"}
        cases: list[tuple[int, dict[str, str], str | None]] = [
            (200, {}, None),
            (200, {"svc-key-expires-in": str(11 * 86_400)}, None),
            (200, {"svc-key-expires-in": str(3 * 86_400 - 5)}, "expires in 3 days: create another one"),
            (200, {"svc-key-expires-in": "60"}, "expires in a day"),
            (200, {"svc-key-expires-in": "soon"}, None),
            (200, page, "a web page: set SVC_URL"),
            (302, {}, "redirects .* set SVC_URL to the final address"),
            (401, {}, "https://svc.test does not know the key"),
            (403, {}, "permission ingest"),
            (404, {}, "check that SVC_URL"),
            (408, {}, None),
            (413, {}, None),
            (429, {}, None),
            (503, {}, None),
        ]
        for status, headers, words in cases:
            with self.subTest(status=status, headers=headers):
                problem = problem_of(status, headers, self.ORIGIN)
                if words is None:
                    self.assertIsNone(problem)
                else:
                    self.assertRegex(problem or "", words)

    def test_the_session_follows_no_redirect_and_warns_once_of_each_problem(self) -> None:
        statuses = iter([401, 401, 302, 200])
        sent: list[dict[str, Any]] = []

        class Session:
            def send(self, request: Any, **options: Any) -> Any:
                sent.append(options)
                return types.SimpleNamespace(status_code=next(statuses), headers={})

        requests = types.ModuleType("requests")
        requests.__dict__["Session"] = Session
        with mock.patch.dict(sys.modules, {"requests": requests}):
            session = export_session()
        request = types.SimpleNamespace(url="https://svc.test/v1/traces", headers={"authorization": f"Bearer {KEY}"})
        with self.assertLogs("svc_voice", "WARNING") as logged:
            answers = [session.send(request, timeout=3, allow_redirects=True).status_code for _ in range(4)]
        self.assertEqual(answers, [401, 401, 302, 200])
        self.assertEqual(sent, [{"timeout": 3, "allow_redirects": False}] * 4)
        self.assertEqual(len(logged.output), 2)
        self.assertRegex(logged.output[0], r"\[svc\] https://svc.test does not know the key")
        self.assertNotIn(KEY, "".join(logged.output))


class DispatchMetadataTest(unittest.TestCase):
    def settings(self, metadata: str, **environment: str) -> Any:
        environment = {"SVC_URL": "https://svc.test", "SVC_API_KEY": KEY, **environment}
        with mock.patch.dict(os.environ, environment, clear=True):
            return read_settings(None, None, False, metadata)

    def test_the_metadata_names_the_simulation_and_its_mock_tools(self) -> None:
        svc = {"simulationId": "sim_1", "attempt": 2, "tools": {"names": ["book"], "token": "t"}}
        metadata = json.dumps({"tenant": "a", "svc": svc})
        settings = self.settings(metadata)
        self.assertEqual((settings.simulation_id, settings.simulation_attempt), ("sim_1", "2"))
        self.assertEqual(settings.mock_tools, MockTools(["book"], "t", "https://svc.test/v1/simulations/sim_1/tools/"))
        self.assertEqual(self.settings(metadata, SVC_SIMULATION_ID="sim_0").simulation_id, "sim_0")

    def test_the_metadata_of_a_customer_is_ignored(self) -> None:
        for metadata in ["", "tenant a", "[]", "null", '{"svc":1}', '{"svc":{"simulationId":"../x","tools":{}}}', '{"svc":{}}']:
            with self.subTest(metadata):
                settings = self.settings(metadata)
                self.assertEqual((settings.simulation_id, settings.mock_tools), (None, None))


class MockToolsTest(unittest.TestCase):
    def test_the_service_answers_a_mock_tool(self) -> None:
        service = FakeService((200, {"result": {"ok": True}}, {}), (200, {"error": "Full."}, {}))
        self.addCleanup(service.close)
        answer = create_mock("book room", MockTools(["book room"], "t", f"{service.url}/tools/"), RuntimeError)
        self.assertEqual(asyncio.run(answer()), {"ok": True})
        with self.assertRaisesRegex(RuntimeError, "Full."):
            asyncio.run(answer())
        method, path, headers, _ = service.received[0]
        self.assertEqual((method, path, headers["authorization"]), ("POST", "/tools/book%20room", "Bearer t"))

    def test_a_redirect_is_not_followed_so_that_no_other_host_gets_the_token(self) -> None:
        other = FakeService((200, {"result": "stolen"}, {}))
        self.addCleanup(other.close)
        service = FakeService((302, b"", {"location": other.url}))
        self.addCleanup(service.close)
        answer = create_mock("book", MockTools(["book"], "t", f"{service.url}/tools/"), RuntimeError)
        with self.assertRaisesRegex(RuntimeError, "did not answer"):
            asyncio.run(answer())
        self.assertEqual(other.received, [])

    def test_a_service_that_does_not_answer_is_an_error_of_the_tool(self) -> None:
        answer = create_mock("book", MockTools(["book"], "t", "http://127.0.0.1:9/"), RuntimeError)
        with self.assertRaisesRegex(RuntimeError, "did not answer"):
            asyncio.run(answer())


class SpeechTimesTest(unittest.TestCase):
    def times(self, *changes: float) -> SpeechTimes:
        times = SpeechTimes()
        for index, at in enumerate(changes):
            times.changed(index % 2 == 0, at)
        return times

    def test_words_that_arrive_late_get_the_periods_of_speech_in_order(self) -> None:
        times = self.times(1, 2, 4, 5)
        self.assertEqual([times.take(5.1), times.take(5.2), times.take(5.3)], [(1, 2), (4, 5), (5.3, 5.3)])

    def test_a_pause_a_noise_and_a_start_that_the_model_states(self) -> None:
        self.assertEqual(self.times(1, 2, 2.5, 3).take(3.1), (1, 3))
        self.assertEqual(self.times(1).take(1.8), (1, 1.8))
        self.assertEqual(self.times(1, 2, 20, 21).take(21.5), (20, 21))
        self.assertEqual(self.times(1, 2, 4, 5).take(9, 3.9), (3.9, 5))
        self.assertEqual(self.times().take(9, 3.9), (3.9, 3.9))


class SessionEventsTest(unittest.TestCase):
    def heard(self, *events: tuple[str, dict[str, Any]], fails: bool = False) -> list[tuple[Any, ...]]:
        """Returns the spans that the helper sends for the events of a session, as name, context, times and attributes."""
        spans: list[tuple[Any, ...]] = []

        class Tracer:
            def start_span(self, name: str, *, context: Any, start_time: int, attributes: Any) -> Any:
                if fails:
                    raise RuntimeError("no tracer")
                return types.SimpleNamespace(end=lambda end: spans.append((name, context, start_time, end, attributes)))

        async def play() -> None:
            listeners: dict[str, Any] = {}
            session = types.SimpleNamespace(on=listeners.__setitem__, _root_span_context="root")
            listen(session, Tracer())
            for name, members in events:
                listeners[name](types.SimpleNamespace(**members))
            await asyncio.sleep(0)

        asyncio.run(play())
        return spans

    said = ("user_input_transcribed", {"transcript": "Hi", "is_final": True, "item_id": "item_1", "created_at": 3.0})

    def test_final_words_of_a_speech_to_speech_model_are_one_span_with_the_times_of_the_speech(self) -> None:
        began = ("user_state_changed", {"old_state": "listening", "new_state": "speaking", "created_at": 1.0})
        ended = ("user_state_changed", {"old_state": "speaking", "new_state": "listening", "created_at": 2.0})
        message = types.SimpleNamespace(id="item_1", metrics={"started_speaking_at": 1.5}, transcript_confidence=0.5)
        attributes = {"svc.item_id": "item_1", "svc.transcribed_at": 3.0, "svc.pii.user_transcript": "Hi"}
        span = ("svc.user_transcript", "root", 1_000_000_000, 2_000_000_000, attributes)
        self.assertEqual(self.heard(began, ended, self.said), [span])
        scored = {**attributes, "svc.transcript_confidence": 0.5}
        added = ("conversation_item_added", {"item": message})
        self.assertEqual(self.heard(began, ended, self.said, added), [(*span[:2], 1_500_000_000, span[3], scored)])

    def test_the_words_of_a_recogniser_and_those_that_are_not_final_are_not_sent(self) -> None:
        name, members = self.said
        others: list[dict[str, object]] = [{"item_id": None}, {"is_final": False}, {"transcript": " "}]
        self.assertEqual(self.heard(*[(name, {**members, **other}) for other in others]), [])

    def test_a_failure_does_not_reach_the_session(self) -> None:
        with self.assertLogs("svc_voice", "WARNING"):
            self.assertEqual(self.heard(self.said, ("user_state_changed", {}), fails=True), [])


class MonitorTest(unittest.TestCase):
    def test_the_set_up_names_the_conversation_and_installs_the_mocks(self) -> None:
        made: dict[str, Any] = {"processors": [], "mocked": []}
        stand_ins = frameworks(made)
        tools = json.dumps({"names": ["book"], "token": "t"})
        environment = {
            "SVC_URL": "http://127.0.0.1:3100",
            "SVC_API_KEY": KEY,
            "SVC_SIMULATION_ID": "sim_1",
            "SVC_SIMULATION_TOOLS": tools,
        }
        callbacks: list[Any] = []
        job = types.SimpleNamespace(id="job_1", agent_name="clinic", room=types.SimpleNamespace(name="room"))
        ctx = types.SimpleNamespace(job=job, add_shutdown_callback=callbacks.append)
        with mock.patch.dict(sys.modules, stand_ins), mock.patch.dict(os.environ, environment, clear=True):
            monitor_platform_b(ctx)
            asyncio.run(callbacks[0]())
        exporter, options = made["exporter"], made["options"]
        self.assertEqual(exporter["endpoint"], "http://127.0.0.1:3100/v1/traces")
        self.assertEqual(exporter["headers"], {"authorization": f"Bearer {KEY}"})
        identity = {"svc.session_id": "sim_1", "svc.simulation_id": "sim_1", "svc.agent_name": "clinic", "svc.room_name": "room"}
        self.assertEqual(options, {"metadata": identity, "allow_pii": True})
        self.assertEqual([(agent, list(mocks)) for agent, mocks in made["mocked"]], [("Agent", ["book"]), ("Clinic", ["book"])])
        self.assertEqual(made["flushed"], 90_000)

    def test_the_variable_of_the_framework_decides_about_content(self) -> None:
        made: dict[str, Any] = {"processors": [], "mocked": []}
        job = types.SimpleNamespace(id="job_1", agent_name="clinic", room=types.SimpleNamespace(name="room"))
        ctx = types.SimpleNamespace(job=job, add_shutdown_callback=lambda callback: None)
        environment = {"SVC_URL": "http://127.0.0.1:3100", "SVC_API_KEY": KEY, "LIVEKIT_TELEMETRY_ALLOW_PII": "0"}
        with mock.patch.dict(sys.modules, frameworks(made)), mock.patch.dict(os.environ, environment, clear=True):
            monitor_platform_b(ctx)
        self.assertFalse(made["options"]["allow_pii"])


def frameworks(made: dict[str, Any]) -> dict[str, types.ModuleType]:
    """Returns the members of livekit-agents and OpenTelemetry that the package calls, as modules that record the calls."""

    class Agent:
        pass

    class Clinic(Agent):
        pass

    class AgentSession:
        async def start(self) -> None:
            pass

    made["classes"] = [Agent, Clinic]

    class TracerProvider:
        def __init__(self, resource: Any) -> None:
            self.resource = resource

        def add_span_processor(self, processor: Any) -> None:
            made["processors"].append(processor)

        def get_tracer(self, name: str) -> Any:
            return made.setdefault("tracer", name)

        def force_flush(self, timeout_ms: int) -> None:
            made["flushed"] = timeout_ms

    @contextlib.contextmanager
    def mock_tools(agent: type, mocks: dict[str, Any]) -> Any:
        made["mocked"].append((agent.__name__, mocks))
        yield

    def set_tracer_provider(provider: Any, *, metadata: Any = None, allow_pii: bool = False) -> None:
        made["options"] = {"metadata": metadata, "allow_pii": allow_pii}

    def module(name: str, **members: Any) -> tuple[str, types.ModuleType]:
        made_module = types.ModuleType(name)
        made_module.__dict__.update(members)
        return name, made_module

    exporter = "opentelemetry.exporter.otlp.proto.http"
    telemetry = types.SimpleNamespace(set_tracer_provider=set_tracer_provider)
    trace = types.SimpleNamespace(get_tracer_provider=lambda: None)
    return dict(
        [
            module("requests", Session=type("Session", (), {})),
            module("livekit"),
            module("livekit.agents", Agent=Agent, AgentSession=AgentSession, mock_tools=mock_tools, telemetry=telemetry),
            module("livekit.agents.llm", ToolError=RuntimeError),
            module("opentelemetry", trace=trace),
            module(exporter, Compression=types.SimpleNamespace(Gzip="gzip")),
            module(f"{exporter}.trace_exporter", OTLPSpanExporter=lambda **options: made.update(exporter=options)),
            module("opentelemetry.sdk.resources", Resource=types.SimpleNamespace(create=lambda values: values)),
            module("opentelemetry.sdk.trace", TracerProvider=TracerProvider),
            module("opentelemetry.sdk.trace.export", BatchSpanProcessor=lambda exporter, **options: options),
        ]
    )


if __name__ == "__main__":
    unittest.main()
