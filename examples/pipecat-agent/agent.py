"""A Pipecat agent that svc can call: it answers over the media-stream protocol of telephony providers, and needs no key."""

import asyncio
import json
import os
import sys

import aiohttp
import uvicorn
from fastapi import FastAPI, WebSocket
from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.frames.frames import (
    EndWorkerFrame,
    Frame,
    StartFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.serializers.twilio import TwilioFrameSerializer
from pipecat.transports.websocket.fastapi import FastAPIWebsocketParams, FastAPIWebsocketTransport
from pipecat.workers.runner import WorkerRunner

from voice import hum

RATE = 8_000
CHUNK_BYTES = 320
GREETING = "Hotel Aurora, good morning. How can I help you?"
ANSWERS = [
    "Sure, one moment. We have a double room, with breakfast, for ninety euros a night. Shall I book it for you?",
    "Your room is booked. Is there anything else?",
]
GOODBYE = "Thank you for calling. Goodbye."

logger.remove()
logger.add(sys.stderr, level="WARNING")
app = FastAPI()


class Receptionist(FrameProcessor):
    """Understands no words: it answers each turn of the caller with its next line, and books when the caller has agreed."""

    def __init__(self, call: dict[str, str]):
        super().__init__()
        self.call = call
        self.turns = 0
        self.speech: asyncio.Task | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, StartFrame):
            self.speech = self.create_task(self.say(GREETING))
        elif isinstance(frame, VADUserStartedSpeakingFrame):
            # Pipecat drops the sound that waits, and the serializer sends `clear` to the caller's side.
            await self.broadcast_interruption()
        elif isinstance(frame, VADUserStoppedSpeakingFrame):
            self.turns += 1
            self.speech = self.create_task(self.answer(self.turns))
        await self.push_frame(frame, direction)

    async def answer(self, turn: int) -> None:
        if turn == 1:
            await self.use_tool("check_availability", {"day": "Friday"})
        if turn == 2:
            await self.use_tool("book_room", {"day": "Friday", "nights": 2})
        if turn <= len(ANSWERS):
            return await self.say(ANSWERS[turn - 1])
        await self.say(GOODBYE)
        await asyncio.sleep(len(hum(GOODBYE, RATE)) / 2 / RATE)
        await self.push_frame(EndWorkerFrame(), FrameDirection.UPSTREAM)

    async def say(self, text: str) -> None:
        sound = hum(text, RATE)
        await self.push_frame(TTSStartedFrame())
        for at in range(0, len(sound), CHUNK_BYTES):
            await self.push_frame(
                TTSAudioRawFrame(audio=sound[at : at + CHUNK_BYTES], sample_rate=RATE, num_channels=1)
            )
        await self.push_frame(TTSStoppedFrame())

    async def use_tool(self, name: str, arguments: dict[str, object]) -> dict[str, object]:
        """Calls a tool; in a call from svc the mock tool of the test answers in place of the real one."""
        if "svc_tools_url" not in self.call:
            return {}
        headers = {"authorization": f"Bearer {self.call['svc_tools_token']}"}
        async with aiohttp.ClientSession(headers=headers) as session:
            async with session.post(self.call["svc_tools_url"] + name, json={"arguments": arguments}) as answer:
                return await answer.json()


@app.websocket("/media")
async def media(socket: WebSocket) -> None:
    await socket.accept()
    message: dict = {}
    while message.get("event") != "start":
        message = json.loads(await socket.receive_text())
    start = message["start"]
    serializer = TwilioFrameSerializer(
        start["streamSid"], params=TwilioFrameSerializer.InputParams(auto_hang_up=False)
    )
    transport = FastAPIWebsocketTransport(
        socket,
        FastAPIWebsocketParams(
            audio_in_enabled=True, audio_out_enabled=True, add_wav_header=False, serializer=serializer
        ),
    )
    vad = VADProcessor(vad_analyzer=SileroVADAnalyzer(params=VADParams(stop_secs=0.5)))
    receptionist = Receptionist(start.get("customParameters", {}))
    worker = PipelineWorker(
        Pipeline([transport.input(), vad, receptionist, transport.output()]),
        params=PipelineParams(audio_in_sample_rate=RATE, audio_out_sample_rate=RATE),
    )

    @transport.event_handler("on_client_disconnected")
    async def gone(*_: object) -> None:
        await worker.cancel()

    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    await runner.run()


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "8091"))
    print(f"The Pipecat agent answers calls at ws://127.0.0.1:{port}/media", flush=True)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
