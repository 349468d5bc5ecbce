import type { CapabilityRange, NumberCapability } from "@svc/contract";
import { baseOf, type Tag } from "../language-tag.ts";
import type { Pair } from "../pair.ts";
import type { ListedVoice } from "../voice-listing.ts";
import { fixed, unknown } from "./member.ts";

const NATURAL = 1;

export function speedOf({ speaker }: Pair, chosen: ListedVoice | undefined, spoken: Tag | undefined): NumberCapability {
  const { speed, professionalCloneSpeed } = speaker;
  if (professionalCloneSpeed !== undefined && chosen?.professionalClone) return fixed(NATURAL, professionalCloneSpeed);
  switch (speed.kind) {
    case "fixed":
      return fixed(NATURAL, speed.reason);
    case "unknown":
      return unknown(speed.reason);
    case "range": {
      const { minimum, maximum, step, onlyLanguages, reason } = speed;
      const range = { minimum, maximum, step };
      if (onlyLanguages && spoken !== undefined) {
        return onlyLanguages.bases.has(baseOf(spoken)) ? within(range) : fixed(NATURAL, reason!);
      }
      return within(range, reason);
    }
  }
}

/** Returns the same range for every model, because the service scales the sound that the provider returns. */
export const speechVolume = (): NumberCapability => within({ minimum: 0.5, maximum: 1.5, step: 0.1 });

const within = (range: CapabilityRange, reason?: string): NumberCapability => ({
  status: "supported",
  range,
  ...(reason !== undefined && { reason }),
});
