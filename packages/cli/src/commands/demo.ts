import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { demoText, runDemo } from "../demo/run-demo.ts";

export default command({
  summary: "Test a sample agent and show the result, without any setup",
  description:
    "Starts the service on a temporary folder with a sample booking agent and five tests, runs the tests and shows the graded result. The agent has one deliberate defect. The service runs with this data until Ctrl-C.",
  examples: ["<%= config.bin %> demo"],
  flags: {
    port: Flags.string({
      description: "Port of the service. Default: PORT, else 3100, or a free port when 3100 is taken.",
    }),
    stay: Flags.boolean({ description: "Keep the service running.", allowNo: true, default: true }),
  },
  async run(invocation) {
    const demo = await runDemo(invocation, invocation.flags.port);
    // Stops after the answer is printed.
    if (!invocation.flags.stay) setImmediate(() => process.kill(process.pid, "SIGTERM"));
    return demo;
  },
  show: demoText,
});
