import type { Answer, Operations } from "@svc/sdk";

export type Persona = Answer<Operations["personas"]["get"]>["persona"];
export type Traits = Persona["traits"];
export type Models = Persona["models"];
export type SpeechModelName = NonNullable<Models["tts"]>;

/** Change some traits and models; undefined takes a value away. */
export type SetTraits = ((traits: { [T in keyof Traits]?: Traits[T] | undefined }) => void) | undefined;
export type SetModels = ((models: { [M in keyof Models]?: Models[M] | undefined }) => void) | undefined;
