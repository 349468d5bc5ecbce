import type { Input, Operation, Operations } from "@svc/contract";
import { requests } from "@svc/contract/requests";

type AudioOf<Family> = {
  [Name in keyof Family]: Family[Name] extends Operation & { answer: "audio" } ? Name : never;
}[keyof Family];

/** Full name of an operation that returns audio, such as `recordings.audioOfSimulation`. */
export type AudioOperation = {
  [Family in keyof Operations]: AudioOf<Operations[Family]> extends never
    ? never
    : `${Family}.${AudioOf<Operations[Family]> & string}`;
}[keyof Operations];

type InputOf<Name extends AudioOperation> = Name extends `${infer Family extends keyof Operations}.${infer Member}`
  ? Member extends keyof Operations[Family]
    ? Input<Operations[Family][Member] & Operation>
    : never
  : never;

/**
 * Returns the URL of an operation that returns audio, for a media element of a web page. A media element sends the session's cookie
 * but cannot send a header, so the input has the organization in `organizationId`.
 *
 * ```ts
 * audio.src = audioAddress(location.origin, "recordings.audioOfSimulation", { simulationId, organizationId });
 * ```
 */
export function audioAddress<Name extends AudioOperation>(baseUrl: string, name: Name, input: InputOf<Name>): string {
  const [family, member] = name.split(".") as [string, string];
  const { path, query = [] } = requests[family]![member]!;
  const values = input as Record<string, string | undefined>;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(values[param] ?? ""));
  const address = new URL(baseUrl.replace(/\/+$/, "") + filled);
  for (const param of query) {
    const value = values[param];
    if (value !== undefined) address.searchParams.set(param, value);
  }
  return address.href;
}
