import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { recordingFlags, useRecording } from "../../recordings/recording.ts";
import { simulationText } from "../../runs/simulation-text.ts";

export default command({
  summary: "Show a simulation with its transcript and grades",
  description:
    "Turns and tool calls are numbered from 0, as in the reasons of grades. → marks a tool call and ← its result.",
  examples: [
    "<%= config.bin %> simulations show sim_06ft2v8xk3n9q4w7r1y5z0abcd",
    "<%= config.bin %> simulations show sim_06ft2v8xk3n9q4w7r1y5z0abcd --play",
    "<%= config.bin %> simulations show sim_06ft2v8xk3n9q4w7r1y5z0abcd --save call.wav",
  ],
  args: { id: argument("Id of the simulation, from `svc runs show`.") },
  flags: recordingFlags(),
  async run({ args, flags, startSession, note }) {
    const { client, projectId } = await startSession();
    const input = { simulationId: args.id, projectId };
    const { simulation } = await client.simulations.get(input);
    const summary = () => client.recordings.ofSimulation(input);
    await useRecording(flags, { summary, audio: () => client.recordings.audioOfSimulation(input) }, note);
    return simulation;
  },
  show: simulationText,
});
