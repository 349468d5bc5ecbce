// A voice agent on this machine that svc can call: `npm run example:voice-agent`. It answers over the media-stream protocol of
// telephony providers, and speaks with a built-in voice. By default it speaks on when the caller interrupts it; with YIELDS=1 it stops.
import { startVoiceAgent } from "@svc/server/voice-agent";

const { PORT = "8090", YIELDS } = process.env;
const { url } = await startVoiceAgent({ port: Number(PORT), yields: YIELDS === "1" });
console.log(`The voice agent answers calls at ${url}`);
