import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { demoText, runDemo } from "../demo/run-demo.ts";
import { startServer } from "../service/start-server.ts";

export default command({
  summary: "Start the service",
  description: "Runs the service until Ctrl-C. Settings come from the environment, and these flags take precedence.",
  examples: [
    "<%= config.bin %> serve",
    "PORT=8080 <%= config.bin %> serve --data-dir /var/lib/svc",
    "<%= config.bin %> serve --demo",
  ],
  flags: {
    port: Flags.string({ description: "Port of the service. Default: PORT, else 3100." }),
    host: Flags.string({ description: "Address on which the service listens. Default: SVC_HOST, else 127.0.0.1." }),
    "data-dir": Flags.string({ description: "Data folder. Default: SVC_DATA_DIR, else ./svc-data." }),
    demo: Flags.boolean({ description: "Run the demo, as `svc demo` does.", exclusive: ["host", "data-dir"] }),
  },
  async run(invocation) {
    const { flags, progress } = invocation;
    if (flags.demo) return runDemo(invocation, flags.port);
    const fromFlags = { PORT: flags.port, SVC_HOST: flags.host, SVC_DATA_DIR: flags["data-dir"] };
    const settings = Object.fromEntries(Object.entries(fromFlags).filter(([, value]) => value !== undefined));
    progress.clear();
    await startServer({ ...process.env, ...settings });
    return undefined;
  },
  show: (demo) => (demo === undefined ? "" : demoText(demo)),
});
