import type { AccessVariant, ConnectionType } from "@svc/contract";

/** The connection when the run was created. Its credential is read when a conversation starts. */
export type ConnectionSnapshot = {
  connectionType: ConnectionType;
  accessVariant: AccessVariant;
  config: Record<string, string>;
};

/** Returns the connection that a run was created with. */
export const snapshotOf = (run: { connection: string }): ConnectionSnapshot => JSON.parse(run.connection);
