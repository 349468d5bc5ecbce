import { z } from "zod";
import type { ProviderRequest } from "../provider-request.ts";

type HearingOrder = { wav: Buffer; model: string; language: string | null };

export type SpeechToText = {
  /** Returns why the service cannot transcribe with a model of the provider, as a message with a remedy; undefined when it can. */
  problem?: (model: string) => string | undefined;
  request: (order: HearingOrder) => ProviderRequest;
  /** Throws when the answer does not have the provider's form. */
  read: (body: unknown) => string;
};

const Text = z.object({ text: z.string() });

export const readText = (body: unknown): string => Text.parse(body).text;

export const onlyStreams = (label: string, other: string): string =>
  `The service cannot hear with ${label}, which only streams. Choose the model ${other} for the persona.`;
