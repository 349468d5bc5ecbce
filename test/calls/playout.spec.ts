import { describe, expect, test } from "vitest";
import { MULAW_SILENCE } from "../../packages/server/src/voice/audio/mulaw.ts";
import { createPlayout } from "../../packages/server/src/voice/calls/lines/playout.ts";
import { monoBytes } from "../../packages/server/src/voice/audio/wav-writing.ts";
import { tone } from "../support/audio/tones.ts";

const FRAME_BYTES = 80;
const frames = (count: number) => Buffer.alloc(FRAME_BYTES * count, MULAW_SILENCE);

function marked(playout: ReturnType<typeof createPlayout>) {
  const reached: string[] = [];
  return { reached, mark: (name: string) => playout.mark(() => reached.push(name)) };
}

describe("the playout of a media stream", () => {
  test("a mark without waiting sound returns at once", () => {
    const { reached, mark } = marked(createPlayout("mulaw_8k"));
    mark("first");
    expect(reached).toEqual(["first"]);
  });

  test("a mark returns with the frame that plays the last sample before it, and not earlier", () => {
    const playout = createPlayout("mulaw_8k");
    const { reached, mark } = marked(playout);
    playout.push(frames(2));
    mark("two frames");
    playout.push(Buffer.alloc(FRAME_BYTES + 1));
    mark("a sample more");
    playout.next();
    expect(reached).toEqual([]);
    playout.next();
    expect(reached).toEqual(["two frames"]);
    playout.next();
    expect(reached).toEqual(["two frames"]);
    playout.next();
    expect(reached).toEqual(["two frames", "a sample more"]);
  });

  test("`clear` drops the waiting sound and returns its marks in order", () => {
    const playout = createPlayout("pcm_16k");
    const { reached, mark } = marked(playout);
    playout.push(monoBytes(tone(400, 1)));
    mark("first");
    playout.push(monoBytes(tone(400, 1)));
    mark("second");
    expect(playout.next().some((sample) => sample !== 0)).toBe(true);
    playout.clear();
    expect(reached).toEqual(["first", "second"]);
    expect(playout.next().every((sample) => sample === 0)).toBe(true);
    mark("third");
    expect(reached).toEqual(["first", "second", "third"]);
  });

  test("PCM sound is heard as it was sent, whatever the size of its messages", () => {
    const sent = tone(440, 0.1);
    const bytes = monoBytes(sent);
    for (const size of [2, 14, 320, 1_000, bytes.length]) {
      const playout = createPlayout("pcm_16k");
      for (let at = 0; at < bytes.length; at += size) playout.push(bytes.subarray(at, at + size));
      const heard = Array.from({ length: 10 }, () => [...playout.next()]).flat();
      expect(heard).toEqual([...sent]);
    }
  });

  test("more than 10 minutes of waiting sound do not fit", () => {
    const playout = createPlayout("mulaw_8k");
    expect(playout.push(frames(60_000))).toBe(true);
    expect(playout.push(frames(1))).toBe(false);
    playout.next();
    expect(playout.push(frames(1))).toBe(true);
  });

  test("more than 10,000 waiting marks do not fit", () => {
    const playout = createPlayout("mulaw_8k");
    playout.push(frames(1));
    for (let count = 0; count < 10_000; count++) expect(playout.mark(() => {})).toBe(true);
    expect(playout.mark(() => {})).toBe(false);
  });
});
