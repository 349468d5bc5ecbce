import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { demoText, runDemo } from "../demo/run-demo.ts";

export default command({
  description:
    "Starts the service on a temporary folder with a sample booking agent and five tests, plays them and shows the graded result; the agent has one deliberate defect. The service stays up with that data until Ctrl-C.",
  examples: ["<%= config.bin %> demo"],
  flags: {
    port: Flags.string({ description: "Port to listen on; default PORT, else 3100, or any when that is taken." }),
    stay: Flags.boolean({ description: "Keep the service up.", allowNo: true, default: true }),
  },
  async run(call) {
    const demo = await runDemo(call, call.flags.port);
    // Once the answer is printed.
    if (!call.flags.stay) setImmediate(() => process.kill(process.pid, "SIGTERM"));
    return demo;
  },
  show: demoText,
});
