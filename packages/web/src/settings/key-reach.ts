import type { Answer, Operations } from "@svc/sdk";

export type ApiKey = Answer<Operations["keys"]["list"]>["keys"][number];

/** Returns the name of a key for people: its own, else the end of its secret. */
export const keyName = ({ name, looks_like }: Pick<ApiKey, "name" | "looks_like">): string => name ?? looks_like;

/** Returns what a key can reach, in words. */
export function reachOf({ project_id }: ApiKey, projects: readonly { id: string; name: string }[]): string {
  if (project_id === null) return "Organization";
  return projects.find(({ id }) => id === project_id)?.name ?? "A project that is not visible";
}

/** Returns the lines of a worker's environment that send its conversations with a key. */
export const workerLines = (origin: string, secret: string): string =>
  [
    `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${origin}/v1/traces`,
    `OTEL_EXPORTER_OTLP_TRACES_HEADERS="authorization=Bearer ${secret}"`,
  ].join("\n");

/** Returns the lines of a shell that let the command line use a key. */
export const commandLines = (origin: string, secret: string): string =>
  [`export SVC_URL=${origin}`, `export SVC_API_KEY=${secret}`].join("\n");
