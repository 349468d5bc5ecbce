import type { ImportErrorKind } from "@svc/contract";
import type { Counts } from "../../base/counts.ts";
import type { Log } from "../../base/log/log.ts";
import type { Intake } from "../../traces/intake/intake.ts";
import type { FetchRecording } from "./fetch-recording.ts";
import type { Pace } from "./pace.ts";
import type { PlatformAClient } from "./client.ts";
import { PlatformError } from "./platform-error.ts";
import type { CallStore } from "../store/calls.ts";
import type { ScanStore } from "../store/scans.ts";
import type { SetupStore } from "../store/setups.ts";

/** Numbers of reads of calls since this process started: reads whose spans were stored, and failures by kind. */
export type ReadCounts = Counts<"stored" | ImportErrorKind>;

export type ImportContext = {
  setups: SetupStore;
  scans: ScanStore;
  calls: CallStore;
  intake: Intake;
  fetchRecording: FetchRecording;
  log: Log;
  pace: Pace;
  random: () => number;
  readCounts: ReadCounts;
  changed: (projectId: string) => void;
  createClient: (apiKey: string, signal: AbortSignal) => PlatformAClient;
};

/**
 * Creates the client with a setup's key. Throws a `PlatformError` of the kind `credential_rejected` when the service cannot decrypt the
 * key.
 */
export async function clientOf(
  { setups, createClient }: Pick<ImportContext, "setups" | "createClient">,
  setupId: string,
  signal: AbortSignal,
): Promise<PlatformAClient> {
  const apiKey = await setups.openKey(setupId);
  if (apiKey === undefined) throw new PlatformError("credential_rejected", "The service cannot unseal the stored key.");
  return createClient(apiKey, signal);
}
