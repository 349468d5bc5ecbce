import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { demoText, runDemo } from "../demo/run-demo.ts";
import { runVoiceDemo, voiceDemoText } from "../demo/run-voice-demo.ts";

export default command({
  summary: "Test a sample agent and show the result, without any setup",
  description:
    "Starts the service on a temporary folder with a sample booking agent and five tests, runs the tests and shows the graded result. The agent has one deliberate defect. Then a sample worker sends production calls, and an alert is raised. With --voice it calls a sample voice agent instead, in three tests, and measures what a caller hears. The service runs with this data until Ctrl-C.",
  examples: ["<%= config.bin %> demo", "<%= config.bin %> demo --voice"],
  flags: {
    voice: Flags.boolean({ description: "Call a sample voice agent, in about half a minute." }),
    port: Flags.string({
      description: "Port of the service. Default: PORT, else 3100, or a free port when 3100 is taken.",
    }),
    stay: Flags.boolean({ description: "Keep the service running.", allowNo: true, default: true }),
  },
  async run(invocation) {
    const { voice, port, stay } = invocation.flags;
    const demo = voice ? await runVoiceDemo(invocation, port) : await runDemo(invocation, port);
    // Stops the service after the answer is printed.
    if (!stay) setImmediate(() => process.kill(process.pid, "SIGTERM"));
    return demo;
  },
  show: (demo) => (demo.heard ? voiceDemoText(demo) : demoText(demo)),
});
