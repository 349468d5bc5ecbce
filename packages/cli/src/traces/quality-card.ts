import type { Quality, Trace } from "@svc/contract";
import { platformName } from "@svc/contract/constants";
import { facts } from "../terminal/output.ts";

type Topic = Quality["notes"][number]["about"];

export function qualityCard({ vocabulary, quality, spansTruncated }: Trace): string {
  const notesOn = (about: Topic): string | undefined =>
    quality.notes
      .filter((note) => note.about === about)
      .map(({ sentence }) => sentence)
      .join("\n") || undefined;
  return facts([
    [
      "Vocabulary",
      notesOn("vocabulary") ?? [vocabulary && platformName(vocabulary), quality.language].filter(Boolean).join(", "),
    ],
    ["Generation", vocabulary === null ? undefined : (notesOn("generation") ?? quality.generation ?? "?")],
    ["Units", notesOn("units") ?? "as stated"],
    ["Content", notesOn("content") ?? (quality.contentWithheld === null ? "?" : "sent")],
    ["Lost content", notesOn("lost_content")],
    ["Credentials", notesOn("credentials")],
    ["Stalls", notesOn("stalls")],
    ["Earlier attempts", notesOn("earlier_attempts")],
    ["Root span", notesOn("root") ?? "arrived"],
    ["Times", notesOn("times")],
    ["Call times", notesOn("call_timing")],
    ["Late spans", notesOn("late_spans") ?? (quality.lateSpans === null ? "?" : "none")],
    [
      "Unmapped keys",
      notesOn("unmapped_keys") === undefined ? "none" : `${notesOn("unmapped_keys")}\n${unmapped(quality)}`,
    ],
    ["Cut", spansTruncated ? notesOn("truncated") : undefined],
  ]);
}

function unmapped({ unmappedKeyCount, unmappedKeys }: Quality): string {
  const keys = unmappedKeys.map(({ key, count }) => (count === 1 ? key : `${key} (${count})`)).join(", ");
  const more = unmappedKeyCount - unmappedKeys.length;
  return more > 0 ? `${keys}, and ${more} more` : keys;
}
