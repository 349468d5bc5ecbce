import { setTimeout as delay } from "node:timers/promises";
import type {
  AudioSource,
  DisconnectReason,
  RemoteParticipant,
  RemoteTrack,
  Room,
  RoomOptions,
} from "@livekit/rtc-node";
import { CALL_RATE, FRAME_MS, FRAME_SAMPLES } from "../../../audio/audio.ts";
import { FAULT_WORDS } from "../../../../base/net/outbound.ts";
import { CallFailure, type LineOrder, type MediaLine, type MediaLineEvents } from "../../call.ts";
import { loadRoomPackage } from "./room-package.ts";
import { createRoomPlayout } from "../playout.ts";
import { openSignalRelay, type SignalRelay } from "./signal-relay.ts";
import { openTurnRelay, type TurnRelay } from "./turn-relay.ts";

type RoomOrder = Extract<LineOrder, { kind: "room" }>;
type RoomPackage = ReturnType<typeof loadRoomPackage>;

/** The topic on which agents of platform_b publish the words of both parties. */
const TRANSCRIPTION = "lk.transcription";
const JOIN_TIMEOUT_MS = 15_000;
/** Time limit for the agent's first sound. A worker starts a process for each call, and that process loads its models before it answers. */
const ANSWER_TIMEOUT_MS = 45_000;
const CLOSE_TIMEOUT_MS = 3_000;
/** Longest transcription of a call. A longer one is truncated. No call has so many words. */
const TRANSCRIPT_CHARACTERS_MAX = 1_000_000;

/**
 * Creates the connection to an agent in a room. The agent is the first other participant that sends sound. The third-party package that
 * connects to rooms opens connections by itself, so it receives only the addresses of two relays on this machine.
 */
export function createRoomLine(order: RoomOrder, events: MediaLineEvents): MediaLine {
  const playout = createRoomPlayout();
  const answered = Promise.withResolvers<void>();
  answered.promise.catch(() => {});
  const closing = new AbortController();
  let relays: { signals: SignalRelay; sound: TurnRelay } | undefined;
  let room: Room | undefined;
  let source: AudioSource | undefined;
  let frameOf: ((samples: Int16Array) => Parameters<AudioSource["captureFrame"]>[0]) | undefined;
  let agentIdentity: string | undefined;
  let hasAgentJoined = false;
  let characters = 0;

  const end: MediaLineEvents["ended"] = (reason, note) => {
    if (!closing.signal.aborted) events.ended(reason, note);
  };

  async function listen(track: RemoteTrack, { AudioStream }: RoomPackage): Promise<void> {
    const sound = new AudioStream(track, { sampleRate: CALL_RATE, numChannels: 1, frameSizeMs: FRAME_MS });
    const reader = sound.getReader();
    closing.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true });
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      playout.push(value.data);
    }
  }

  async function transcribe(words: AsyncIterable<string>): Promise<void> {
    let separator = characters === 0 ? "" : " ";
    for await (const part of words) {
      characters += part.length;
      if (characters > TRANSCRIPT_CHARACTERS_MAX) continue;
      events.words(separator + part);
      separator = "";
    }
  }

  function watch(joined: Room, rtc: RoomPackage): void {
    const { RoomEvent, TrackKind } = rtc;
    joined.on(RoomEvent.ParticipantConnected, () => {
      hasAgentJoined = true;
    });
    joined.on(RoomEvent.TrackSubscribed, (track, _publication, { identity }) => {
      if (track.kind !== TrackKind.KIND_AUDIO || (agentIdentity ?? identity) !== identity) return;
      agentIdentity = identity;
      // A track ends with an error when its participant leaves. The room reports the departure by another event.
      void listen(track, rtc).catch(() => {});
      answered.resolve();
    });
    joined.on(RoomEvent.ParticipantDisconnected, (participant) => {
      if (participant.identity === agentIdentity) end(...endingOfAgent(participant, rtc));
    });
    joined.on(RoomEvent.Disconnected, (reason) => {
      const ending = endingOfRoom(reason, rtc, relays?.signals.failure());
      answered.reject(new CallFailure(ending[0], ending[1] ?? "The room was closed before the agent answered."));
      end(...ending);
    });
    joined.registerTextStreamHandler(TRANSCRIPTION, (words, { identity }) => {
      if (identity === joined.localParticipant?.identity) return void words.close();
      void transcribe(words).catch(() => {});
    });
  }

  async function join(rtc: RoomPackage): Promise<void> {
    const [signals, sound] = await Promise.all([openSignalRelay(order), openTurnRelay(order.privateAddresses)]);
    relays = { signals, sound };
    if (closing.signal.aborted) return closeRelays();
    room = new rtc.Room();
    watch(room, rtc);
    // The client uses this TURN server and ignores the TURN servers that the media server names.
    const rtcConfig = {
      iceServers: [sound.server],
      iceTransportType: rtc.IceTransportType.TRANSPORT_RELAY,
      continualGatheringPolicy: rtc.ContinualGatheringPolicy.GATHER_ONCE,
    };
    const options = { autoSubscribe: true, dynacast: false, rtcConfig } as RoomOptions;
    try {
      await withTimeout(room.connect(signals.url, order.token, options), JOIN_TIMEOUT_MS);
    } catch {
      throw failureToJoin(signals, sound);
    }
    if (closing.signal.aborted) return room.disconnect();
    hasAgentJoined = room.remoteParticipants.size > 0;
    source = new rtc.AudioSource(CALL_RATE, 1, 0);
    frameOf = (samples) => new rtc.AudioFrame(samples, CALL_RATE, 1, FRAME_SAMPLES);
    const publishing = new rtc.TrackPublishOptions();
    publishing.source = rtc.TrackSource.SOURCE_MICROPHONE;
    await room.localParticipant!.publishTrack(rtc.LocalAudioTrack.createAudioTrack("caller", source), publishing);
  }

  function closeRelays(): void {
    relays?.signals.close();
    relays?.sound.close();
  }

  return {
    async connect(signal) {
      signal.addEventListener("abort", () => answered.reject(signal.reason), { once: true });
      await join(loadRoomPackage(order.packageFolders));
      if (closing.signal.aborted) return;
      events.waitsForAgent();
      const late = delay(ANSWER_TIMEOUT_MS, undefined, { signal: closing.signal, ref: false }).then(() => {
        throw noAnswer(hasAgentJoined);
      });
      late.catch(() => {});
      await Promise.race([answered.promise, late]);
    },

    send(frame) {
      // When the room cannot accept a frame, the frame is lost, as on any network.
      if (!closing.signal.aborted) void source?.captureFrame(frameOf!(frame)).catch(() => {});
    },

    hear: playout.next,

    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      const left = Promise.all([source?.close(), room?.isConnected ? room.disconnect() : undefined]);
      await withTimeout(left, CLOSE_TIMEOUT_MS).catch(() => {});
      closeRelays();
    },
  };
}

/** Rejects when the work takes longer than `timeoutMs`. The work itself continues. */
async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const end = new AbortController();
  const late = delay(timeoutMs, undefined, { signal: end.signal }).then(() => {
    throw new Error(`it took longer than ${timeoutMs / 1_000} s`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    end.abort();
  }
}

type Ending = Parameters<MediaLineEvents["ended"]>;

function endingOfAgent({ disconnectReason }: RemoteParticipant, { DisconnectReason }: RoomPackage): Ending {
  const inOrder = [
    DisconnectReason.CLIENT_INITIATED,
    DisconnectReason.PARTICIPANT_REMOVED,
    DisconnectReason.ROOM_DELETED,
    DisconnectReason.ROOM_CLOSED,
  ];
  if (disconnectReason === undefined || inOrder.includes(disconnectReason)) return ["agent_ended", null];
  return ["agent_error", "The agent vanished from the room: its process or its connection to the media server broke."];
}

/** An agent ends a call when it closes the room or removes the caller. */
function endingOfRoom(
  reason: DisconnectReason,
  { DisconnectReason }: RoomPackage,
  failure: string | undefined,
): Ending {
  const byAgent = [DisconnectReason.PARTICIPANT_REMOVED, DisconnectReason.ROOM_DELETED, DisconnectReason.ROOM_CLOSED];
  if (byAgent.includes(reason)) return ["agent_ended", null];
  const why = failure === undefined ? "" : `: ${failure}`;
  return ["media_unreachable", `The connection to the media server broke during the call${why}.`];
}

/** Returns the error of a caller that could not join the room. Its text quotes neither the media server nor the third-party package. */
function failureToJoin(signals: SignalRelay, sound: TurnRelay): CallFailure {
  const fault = sound.refused();
  const cause =
    signals.failure() ??
    (fault === undefined
      ? "the media server answered, and no connection for media came about: check that this machine reaches its ports for media over UDP"
      : `the address that the media server names for media ${FAULT_WORDS[fault]}`);
  return new CallFailure("media_unreachable", `The caller could not join the room: ${cause}.`);
}

const noAnswer = (hasAgentJoined: boolean): CallFailure =>
  new CallFailure(
    "agent_never_joined",
    hasAgentJoined
      ? `The agent joined the room and sent no sound within ${ANSWER_TIMEOUT_MS / 1_000} s.`
      : `No agent joined the room within ${ANSWER_TIMEOUT_MS / 1_000} s.`,
  );
