import { z } from "zod";
import type { ProviderRequest } from "../provider-request.ts";

/** A piece of sound to transcribe, as a WAV file. */
type HearingOrder = { wav: Buffer; model: string; language: string | null };

/** How one provider transcribes a piece of sound. */
export type SpeechToText = {
  /** Returns why the provider cannot hear with a model here, as a sentence with the remedy. */
  problem?: (model: string) => string | undefined;
  request: (order: HearingOrder) => ProviderRequest;
  /** Returns the words in an answer; throws when it is not in the provider's form. */
  read: (body: unknown) => string;
};

const Text = z.object({ text: z.string() });

/** Returns the text of the answer that most providers send. */
export const readText = (body: unknown): string => Text.parse(body).text;

/** Returns the sentence about a model that hears only streams. */
export const onlyStreams = (label: string, other: string): string =>
  `The service cannot hear with ${label}, which only streams. Choose the model ${other} for the persona.`;
