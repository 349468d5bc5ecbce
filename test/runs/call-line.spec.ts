import { expect, test } from "vitest";
import type { CallEvent } from "../../packages/server/src/voice/calls/call.ts";
import { createCallLine } from "../../packages/server/src/runs/lines/call-line.ts";
import type { HeardTurn } from "../../packages/server/src/runs/lines/line.ts";
import { reminderOf } from "../../packages/server/src/voice/speech/reminders.ts";
import { until } from "../support/until.ts";

const ORDER = {
  kind: "media_stream",
  url: "ws://127.0.0.1:9/",
  headers: {},
  codec: "mulaw_8k",
  privateAddresses: "allow",
  parameters: {},
} as const;
const never = new AbortController().signal;

/** Opens the line of a call. The spec takes the place of the media process, and texts without letters are silent. */
function openLine(reminder: string | null) {
  const spoken: Int16Array[] = [];
  const said: string[] = [];
  const pressed: string[] = [];
  const turns: HeardTurn[] = [];
  let emit!: (event: CallEvent) => void;
  const line = createCallLine(ORDER, {
    place(_, onEvent) {
      emit = onEvent;
      queueMicrotask(() => emit({ kind: "connected", startedAtMs: Date.now() }));
      return {
        recordingFile: "unused",
        hangUp: () => {},
        press: (keys) => {
          pressed.push(keys);
          queueMicrotask(() => emit({ kind: "said", startedMs: 1, endedMs: 2 }));
        },
        say(samples) {
          spoken.push(samples);
          queueMicrotask(() => emit({ kind: "said", startedMs: 1, endedMs: 2 }));
        },
      };
    },
    speak: async (text) => {
      said.push(text);
      return new Int16Array(/\p{L}/u.test(text) ? 160 : 0);
    },
    recognize: null,
    hello: null,
    reminder,
  });
  const hear = (turn: HeardTurn) => {
    turns.push(turn);
    return () => {};
  };
  const agentSpeaks = () => {
    emit({ kind: "agent_started", atMs: 5_000 });
    emit({ kind: "agent_stopped", startedMs: 5_000, atMs: 6_000, sound: null });
  };
  const agentPresses = (keys: string) => emit({ kind: "pressed", keys, startedMs: 5_000, endedMs: 5_500 });
  const patienceEnds = async () => {
    emit({ kind: "patience_ended", atMs: 9_000 });
    await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const open = async () => {
    const greeting = line.open(never, hear);
    await new Promise((resolve) => setTimeout(resolve, 10));
    await patienceEnds();
    await greeting;
  };
  return { line, spoken, said, pressed, turns, hear, open, agentSpeaks, agentPresses, patienceEnds };
}

test("a text without a word is a silent turn of the caller, and the agent may answer it", async () => {
  const { line, open, spoken, turns, hear, agentSpeaks } = openLine("Hello?");
  await open();
  const answer = line.say("…", never, hear);
  await new Promise((resolve) => setTimeout(resolve, 10));
  agentSpeaks();
  expect(await answer).toMatchObject({ ended: false });
  expect(spoken).toEqual([]);
  expect(turns.map(({ role, text }) => [role, text])).toEqual([
    ["caller", "…"],
    ["agent", null],
  ]);
  expect(turns[0]!.endedMs).toBe(turns[0]!.startedMs);
});

test("a caller says words and presses keys in one turn, and the agent's keys are its answer", async () => {
  const { line, open, said, pressed, turns, hear, agentPresses } = openLine("Hello?");
  await open();
  const answer = line.say("One moment. [presses 4 2 #]", never, hear);
  await until("the keys are pressed", () => pressed.length > 0);
  expect([said, pressed]).toEqual([["One moment."], ["42#"]]);
  agentPresses("17");
  expect(await answer).toMatchObject({ ended: false });
  expect(turns.map(({ role, text }) => [role, text])).toEqual([
    ["caller", "One moment. [presses 4 2 #]"],
    ["agent", "[presses 17]"],
  ]);
});

test("a caller asks a silent agent twice in the caller's language, and the agent is silent after the third wait", async () => {
  const { line, open, said, hear, patienceEnds } = openLine(reminderOf({ provider: "openai", language: "de-AT" }));
  await open();
  const answer = line.say("Guten Tag.", never, hear);
  answer.catch(() => {});
  for (let wait = 0; wait < 3; wait++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    await patienceEnds();
  }
  await expect(answer).rejects.toMatchObject({ reason: "agent_never_joined" });
  expect(said).toEqual(["Guten Tag.", "Hallo? Sind Sie noch da?", "Hallo? Sind Sie noch da?"]);
});

test("a caller without a question in its language stays silent as long", async () => {
  const { line, open, said, hear, patienceEnds } = openLine(reminderOf({ provider: "openai", language: "sw" }));
  await open();
  const answer = line.say("Habari.", never, hear);
  answer.catch(() => {});
  for (let wait = 0; wait < 3; wait++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    await patienceEnds();
  }
  await expect(answer).rejects.toMatchObject({ reason: "agent_never_joined" });
  expect(said).toEqual(["Habari."]);
});

test.each([
  ["built_in", null, "Hello? Are you still there?"],
  ["openai", null, null],
  ["elevenlabs", "pt-BR", "Alô? Ainda está aí?"],
  ["cartesia", "tlh", null],
] as const)("the question of a caller with a voice of %s and the language %s is %j", (provider, language, words) => {
  expect(reminderOf({ provider, language })).toBe(words);
});
