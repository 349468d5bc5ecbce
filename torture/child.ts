// Runs the service as a separate process, exactly as `npm start` does. TORTURE_OPTIONS has options that only specs and scenarios change.
import { type AppOptions, main } from "@svc/server";

const { TORTURE_OPTIONS = "{}", ...environment } = process.env;
await main(environment, JSON.parse(TORTURE_OPTIONS) as AppOptions).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
