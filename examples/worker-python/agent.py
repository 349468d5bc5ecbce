from livekit.agents import Agent, AgentServer, AgentSession, JobContext, cli, function_tool
from svc_voice import monitor_platform_b


class Clinic(Agent):
    def __init__(self) -> None:
        super().__init__(instructions="You are a clinic receptionist. Be brief.")

    @function_tool
    async def opening_hours(self, day: str) -> str:
        """The clinic's opening hours on a day of the week"""
        return "closed" if day == "Sunday" else "8:00 to 18:00"


server = AgentServer(shutdown_process_timeout=100)  # time for the last spans when the rate limit is used up


@server.rtc_session(agent_name="clinic")
async def entrypoint(ctx: JobContext) -> None:
    monitor_platform_b(ctx)  # before the session starts: reads SVC_URL and SVC_API_KEY

    await ctx.connect()
    session = AgentSession(stt="deepgram/nova-3", llm="openai/gpt-4.1-mini", tts="cartesia/sonic-3")
    await session.start(agent=Clinic(), room=ctx.room)
    await session.say("Hello, clinic speaking. How can I help?")


if __name__ == "__main__":
    cli.run_app(server)
