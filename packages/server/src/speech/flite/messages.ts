import type { Audio } from "../../audio/audio.ts";
import type { BuiltInVoice } from "./voices.ts";

/** A text for the thread of the built-in voices. */
export type FliteRequest = { id: number; voice: BuiltInVoice; speed: number; utterances: string[] };

/** The thread's answer; without `audio` flite has failed. */
export type FliteAnswer = { id: number; audio?: Audio };
