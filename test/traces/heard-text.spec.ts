import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { agentSpeaks, agentTurn, child, session } from "../support/measured.ts";
import { captureSets, spansOfCapture } from "../support/spans-of-capture.ts";

const STORY =
  "Once upon a time there was a very long story which went on and on and never seemed to end at all, really.";

test.each(captureSets().filter((set) => /^(js|py)-.*voice/.test(set)))(
  "when the caller interrupts a story, its turn keeps the whole text, and the part that was heard ends near the interruption: %s",
  (set) => {
    const { turns } = conversationOf(spansOfCapture(set));
    const [story, other] = turns.filter(({ interrupted, text }) => interrupted === true && text !== null);
    expect(other).toBeUndefined();
    if (story === undefined) return; // the content is withheld, or nobody interrupts
    expect(story.text).toBe(STORY);
    // The caller interrupts after 1.3 s to 2 s of the 3 s of audio.
    expect(story.heardText).toMatch(/^Once upon a time there was a very long story( which went on and( on)?)?$/);
    expect(turns.filter(({ heardText }) => heardText !== null)).toEqual([story]);
  },
);

// The spans follow the source code of livekit-agents 1.8.9. If the transcript is synchronised with the audio, `lk.pii.response.text` is the
// played part on the turn's span, and the whole answer on the model's span. Otherwise it is the whole answer on both spans.
describe("an interrupted turn", () => {
  const WORDS = "one two three four five six seven eight nine ten"; // 48 characters
  const interrupted = (said: string, attributes = {}) =>
    agentTurn("a", 0, 5_000, { "lk.interrupted": true, "lk.pii.response.text": said, ...attributes });
  const answer = child("llm_node", "a", 0, 300, { "lk.pii.response.text": WORDS });
  const synthesis = (cancelled = false, parent = "a") =>
    child("tts_request", parent, 300, 600, {
      "lk.tts_metrics": JSON.stringify({ characters_count: 48, audio_duration: 4.8, cancelled }),
    });
  const read = (...spans: Parameters<typeof conversationOf>[0]) => {
    const turn = conversationOf([session(), ...spans]).turns.find(({ spanIds }) => spanIds[0] === "a")!;
    return [turn.text, turn.heardText];
  };

  test("an interrupted turn has the played text of a synchronised transcript, and the model's answer as whole text", () => {
    expect(read(interrupted("one two three"), answer, synthesis())).toEqual([WORDS, "one two three"]);
  });

  test("an interrupted turn has the words that fit into the played time, without a word that is not complete", () => {
    const at = (seconds: number) =>
      read(interrupted(WORDS, { "lk.playout.position": seconds }), answer, synthesis())[1];
    expect(at(1.4)).toBe("one two three");
    expect(at(1.25)).toBe("one two");
    expect(at(0.1)).toBe("");
    expect(at(0)).toBe("");
    expect(at(60)).toBe(WORDS);
  });

  test("an interrupted turn has the words that fit into the length of the audio when no position is reported", () => {
    expect(read(interrupted(WORDS), answer, synthesis(), agentSpeaks("a", 700, 2_100))).toEqual([
      WORDS,
      "one two three",
    ]);
  });

  test("an interrupted turn takes the pace of the call's other synthesis requests when its own was cancelled, and is unknown without a pace", () => {
    const cut = [interrupted(WORDS, { "lk.playout.position": 1.4 }), answer, synthesis(true)];
    expect(read(...cut)).toEqual([WORDS, null]);
    expect(read(...cut, agentTurn("b", 6_000, 9_000), synthesis(false, "b"))).toEqual([WORDS, "one two three"]);
  });

  test("an interrupted turn keeps the earlier steps of a tool loop, which were heard to their end", () => {
    const before = agentTurn("a", 0, 900, { "lk.speech_id": "s", "lk.pii.response.text": "One moment." });
    const after = agentTurn("b", 1_000, 5_000, {
      "lk.speech_id": "s",
      "lk.interrupted": true,
      "lk.pii.response.text": WORDS,
      "lk.playout.position": 1.4,
    });
    expect(read(before, after, synthesis(false, "b"))).toEqual([`One moment.\n${WORDS}`, "One moment.\none two three"]);
  });
});

test("a turn that is not interrupted, and one whose text is withheld, has no heard part", () => {
  const turns = [
    agentTurn("a", 0, 900),
    agentTurn("b", 1_000, 2_000, { "lk.interrupted": true, "lk.pii.response.text": "" }),
  ];
  const read = conversationOf([session(), ...turns, agentSpeaks("b", 1_000, 2_000)]).turns;
  expect(read.map(({ text, heardText }) => [text, heardText])).toEqual([
    ["one two three", null],
    [null, null],
  ]);
});
