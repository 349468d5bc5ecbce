import { z } from "zod";
import type { ProviderRequest } from "../provider-request.ts";

/** Piece of sound to transcribe, as a WAV file. */
type HearingOrder = { wav: Buffer; model: string; language: string | null };

/** How one provider transcribes a piece of sound. */
export type SpeechToText = {
  /** Returns why the service cannot transcribe with a model of the provider, as a message with a remedy; undefined when it can. */
  problem?: (model: string) => string | undefined;
  request: (order: HearingOrder) => ProviderRequest;
  /** Returns the words in an answer. Throws when the answer does not have the provider's form. */
  read: (body: unknown) => string;
};

const Text = z.object({ text: z.string() });

/** Returns the text of an answer in the form that most providers use. */
export const readText = (body: unknown): string => Text.parse(body).text;

/** Returns the message about a model that transcribes only streams. */
export const onlyStreams = (label: string, other: string): string =>
  `The service cannot hear with ${label}, which only streams. Choose the model ${other} for the persona.`;
