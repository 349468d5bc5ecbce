import type { Quality, Trace } from "@svc/contract";
import { facts } from "../output.ts";

type Topic = Quality["notes"][number]["about"];

/** How far the spans can be trusted: a line on each thing, which says what is not as it should be, or that all is well. */
export function qualityCard({ vocabulary, quality, spansTruncated }: Trace): string {
  const said = (about: Topic): string | undefined =>
    quality.notes
      .filter((note) => note.about === about)
      .map(({ sentence }) => sentence)
      .join("\n") || undefined;
  return facts([
    ["Vocabulary", said("vocabulary") ?? [vocabulary, quality.language].filter(Boolean).join(", ")],
    ["Generation", vocabulary === null ? undefined : (said("generation") ?? quality.generation ?? "?")],
    ["Units", said("units") ?? "as stated"],
    ["Content", said("content") ?? (quality.contentWithheld === null ? "?" : "sent")],
    ["Root span", said("root") ?? "arrived"],
    ["Late spans", said("late_spans") ?? (quality.lateSpans === null ? "?" : "none")],
    ["Unmapped keys", said("unmapped_keys") === undefined ? "none" : `${said("unmapped_keys")}\n${unmapped(quality)}`],
    ["Cut", spansTruncated ? said("truncated") : undefined],
  ]);
}

function unmapped({ unmappedKeyCount, unmappedKeys }: Quality): string {
  const named = unmappedKeys.map(({ key, count }) => (count === 1 ? key : `${key} (${count})`)).join(", ");
  const more = unmappedKeyCount - unmappedKeys.length;
  return more > 0 ? `${named}, and ${more} more` : named;
}
