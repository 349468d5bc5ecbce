"""A worker in Python that needs no key: a buzz speaks, a counter hears, and a script answers: `python worker.py start`."""

import json
import math
import os
import struct

from livekit.agents import (
    DEFAULT_API_CONNECT_OPTIONS,
    Agent,
    AgentServer,
    AgentSession,
    JobContext,
    cli,
    function_tool,
    inference,
    llm,
    stt,
    tts,
)
from svc_voice.livekit import monitor_platform_b

RATE = 16_000
MS_PER_CHARACTER = 60


def buzz(text: str) -> bytes:
    """Returns a sound as long as the spoken text, with the pauses of its words."""
    samples = []
    for character in text:
        loudness = 0 if character == " " else 6_000
        for n in range(RATE * MS_PER_CHARACTER // 1_000):
            wave = sum(math.sin(2 * math.pi * 140 * harmonic * n / RATE) / harmonic for harmonic in range(1, 6))
            samples.append(int(loudness * wave / 2))
    return struct.pack(f"<{len(samples)}h", *samples)


class Buzz(tts.TTS):
    def __init__(self) -> None:
        super().__init__(capabilities=tts.TTSCapabilities(streaming=False), sample_rate=RATE, num_channels=1)

    def synthesize(self, text, *, conn_options=DEFAULT_API_CONNECT_OPTIONS):
        return BuzzStream(tts=self, input_text=text, conn_options=conn_options)


class BuzzStream(tts.ChunkedStream):
    async def _run(self, output_emitter) -> None:
        output_emitter.initialize(request_id="1", sample_rate=RATE, num_channels=1, mime_type="audio/pcm")
        output_emitter.push(buzz(self.input_text))
        output_emitter.flush()


class TurnCounter(stt.STT):
    def __init__(self) -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=False, interim_results=False))
        self.turns = 0

    async def _recognize_impl(self, buffer, *, language, conn_options):
        self.turns += 1
        words = [stt.SpeechData(language="en", text=f"turn {self.turns}")]
        return stt.SpeechEvent(type=stt.SpeechEventType.FINAL_TRANSCRIPT, alternatives=words)


class Script(llm.LLM):
    def chat(self, *, chat_ctx, tools=None, conn_options=DEFAULT_API_CONNECT_OPTIONS, **_):
        return ScriptStream(self, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options)


class ScriptStream(llm.LLMStream):
    async def _run(self) -> None:
        last = self.chat_ctx.items[-1]
        heard = last.output if last.type == "function_call_output" else (last.text_content or "")
        if heard == "turn 1":
            call = llm.FunctionToolCall(name="free_rooms", arguments='{"date": "Friday"}', call_id="call_1")
            delta = llm.ChoiceDelta(role="assistant", tool_calls=[call])
        else:
            words = "We have three free rooms." if "3" in heard else "Your room is booked. Goodbye!"
            delta = llm.ChoiceDelta(role="assistant", content=words)
        self._event_ch.send_nowait(llm.ChatChunk(id="1", delta=delta))


class Hotel(Agent):
    def __init__(self) -> None:
        super().__init__(instructions="You are a hotel receptionist.")

    @function_tool
    async def free_rooms(self, date: str) -> str:
        """The number of free rooms on a date"""
        return json.dumps({"free": 0})


server = AgentServer(shutdown_process_timeout=100, num_idle_processes=1, load_fnc=lambda: 0.1, port=0)


@server.rtc_session(agent_name=os.environ.get("AGENT_NAME", "hotel-python"))
async def entrypoint(ctx: JobContext) -> None:
    monitor_platform_b(ctx)
    await ctx.connect()
    session = AgentSession(vad=inference.VAD(), stt=TurnCounter(), llm=Script(), tts=Buzz(), turn_detection="vad")
    await session.start(agent=Hotel(), room=ctx.room)
    await session.say("Hello, hotel Aurora speaking.")


if __name__ == "__main__":
    cli.run_app(server)
