import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSealing } from "../packages/server/src/base/secrets/sealing.ts";

const newKey = () => randomBytes(32).toString("base64url");

describe("sealing", () => {
  test("a sealed secret opens for its owner only", () => {
    const sealing = createSealing(newKey());
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), fc.string(), (text, owner, other) => {
        const envelope = sealing.seal(text, owner);
        expect(sealing.open(envelope, owner)).toBe(text);
        if (other !== owner) expect(sealing.open(envelope, other)).toBeUndefined();
      }),
    );
  });

  test("a secret with any changed character does not open", () => {
    const sealing = createSealing(newKey());
    const envelope = sealing.seal("a secret of someone", "con_1");
    for (let at = 0; at < envelope.length; at++) {
      const changed = envelope.slice(0, at) + (envelope[at] === "A" ? "z" : "A") + envelope.slice(at + 1);
      // The last character of a base64url text may contain unused bits.
      const same = Buffer.from(changed.split(".")[3] ?? "", "base64url").equals(
        Buffer.from(envelope.split(".")[3]!, "base64url"),
      );
      if (same && at === envelope.length - 1) continue;
      expect(sealing.open(changed, "con_1"), `character ${at}`).toBeUndefined();
    }
  });

  test("the newest key seals, and an older key still opens", () => {
    const [older, newer] = [newKey(), newKey()];
    const before = createSealing(older).seal("secret", "con_1");
    const rotated = createSealing(`${newer},${older}`);
    expect(rotated.open(before, "con_1")).toBe("secret");
    expect(rotated.keyIdOf(rotated.seal("secret", "con_1"))).toBe(createSealing(newer).keyId);
    expect(createSealing(newer).open(before, "con_1")).toBeUndefined();
  });

  test("sealing the same text twice gives different envelopes", () => {
    const sealing = createSealing(newKey());
    expect(sealing.seal("secret", "con_1")).not.toBe(sealing.seal("secret", "con_1"));
  });
});
