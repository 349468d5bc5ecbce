import { missingRoomPackage } from "../../voice/calls/lines/room/room-package.ts";
import { createCallLine, type CallerAudio } from "./call-line.ts";
import { callWithTools } from "./tool-callbacks.ts";
import { type AgentLine, LineFailure } from "./line.ts";
import type { LineContext, LineType } from "./line-type.ts";
import { dispatchMetadata, metadataProblem } from "./room/dispatch-metadata.ts";
import { addressFor, createMediaServer, type ProjectKey } from "./room/media-server.ts";
import { createKnownWorkers, openProjectRoom } from "./room/project-room.ts";
import type { RoomAccess } from "./room/room-access.ts";
import { openRoomByEndpoint } from "./room/token-endpoint.ts";

const knownWorkers = createKnownWorkers();

/** Room of a media server. The server dispatches the worker of an agent on platform_b to the room. */
export const platformBRoom: LineType = {
  async createLine(context) {
    const { simulationId, connection, mockedTools, callbacks, packageFolders, privateAddresses, signal } = context;
    const { metadata, url } = connection.config;
    const problem = missingRoomPackage(packageFolders) ?? metadataProblem(metadata, mockedTools.names);
    if (problem !== undefined) throw new LineFailure("simulator_error", problem);
    const callerAudio = await context.callerAudio();
    const callback = callbacks.begin(simulationId, mockedTools.use, signal);
    let access: RoomAccess | undefined;
    let line: AgentLine | undefined;
    return callWithTools(
      {
        carriesSound: true,
        async open(within, hear) {
          access = await openRoom(context, callback.token, within);
          const order = {
            kind: "room",
            url: addressFor("ws", url!),
            token: access.token,
            packageFolders,
            privateAddresses,
          } as const;
          line = createCallLine(order, summoning(callerAudio, access, signal));
          return line.open(within, hear);
        },
        say: (text, within, hear) => line!.say(text, within, hear),
        partFrom: (within) => line!.partFrom!(within),
        async close() {
          await line?.close();
          await access?.close();
        },
        outcome: () => line?.outcome!() ?? null,
      },
      callback,
    );
  },
  /** The agent may call tools that the service does not mock and never sees. */
  toolsVisible: () => false,
  sendsOwnSpans: false,
  carriesSound: true,
  transcribesAgent: true,
  refusalOfPlan: ({ connection, toolNames, packageFolders }) =>
    missingRoomPackage(packageFolders) ??
    toolNames.map((names) => metadataProblem(connection.config["metadata"], names)).find((problem) => problem),
};

async function openRoom(context: LineContext, toolsToken: string, signal: AbortSignal): Promise<RoomAccess> {
  const { simulationId, attempt, connection, credential, mockedTools, privateAddresses } = context;
  const { url, agentName = "", metadata: configured, tokenEndpoint } = connection.config;
  const room = `svc-${simulationId}-${attempt}`;
  const metadata = dispatchMetadata(configured, {
    simulationId,
    attempt,
    tools: { names: mockedTools.names, token: toolsToken },
  });
  const secrets = await credential();
  if (tokenEndpoint !== undefined) {
    const headers = secrets["headers"] as Record<string, string>;
    return openRoomByEndpoint({ url: url!, tokenEndpoint, headers, room, metadata, privateAddresses }, signal);
  }
  const key = secrets as ProjectKey;
  const server = createMediaServer(url!, key, privateAddresses);
  const workers = knownWorkers(url!);
  return openProjectRoom({ server, key, room, agentName, metadata, workers }, signal);
}

/** Returns caller audio that dispatches the agent when the caller waits in the room. The caller hangs up when no worker takes the call. */
function summoning(callerAudio: CallerAudio, { summonAgent }: RoomAccess, signal: AbortSignal): CallerAudio {
  if (!summonAgent) return callerAudio;
  return {
    ...callerAudio,
    place(line, onEvent) {
      const waiting = new AbortController();
      let failure: LineFailure | undefined;
      const call = callerAudio.place(line, (event) => {
        if (event.kind === "waits_for_agent") void summon();
        if (event.kind === "connected" || event.kind === "ended") waiting.abort();
        const isFailed = event.kind === "ended" && failure !== undefined;
        onEvent(isFailed ? { ...event, reason: failure!.reason, note: failure!.message } : event);
      });
      return call;

      async function summon(): Promise<void> {
        try {
          await summonAgent!(AbortSignal.any([signal, waiting.signal]));
        } catch (error) {
          if (waiting.signal.aborted || signal.aborted) return;
          failure =
            error instanceof LineFailure
              ? error
              : new LineFailure("simulator_error", `The agent could not be summoned: ${(error as Error).message}`);
          call.hangUp();
        }
      }
    },
  };
}
