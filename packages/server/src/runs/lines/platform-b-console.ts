import type { LineType } from "./line-type.ts";

/** Agent process on the user's machine. The command-line tool passes the messages between the process and the service. */
export const platformBConsole: LineType = {
  async createLine({ simulationId, attempt, mockedTools, callbacks, bridges, signal }) {
    const callback = callbacks.begin(simulationId, mockedTools.use, signal);
    return bridges.createLine(simulationId, attempt, mockedTools.names, callback);
  },
  toolsVisible: () => true,
  sendsOwnSpans: true,
  carriesSound: false,
  untried:
    "The agent runs on your machine, where the service cannot reach it. Try it with a run: `svc runs start --agent-command COMMAND`.",
  warning: "The agent runs on your machine: start the run with `svc runs start --agent-command`.",
};
