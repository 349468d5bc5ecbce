// The service, started by bench/ingest.ts, which asks it for its CPU time.
import { until } from "../test/support/until.ts";
import { startServer } from "../test/support/server.ts";
import { answerCpuQuestions } from "./server-under-test.ts";

const service = await startServer();
let asked = 0;

answerCpuQuestions({
  url: service.url,
  key: service.projectKey,
  /** Everything that was acknowledged can be read: the newest conversations are counted to the last span. */
  settle: async (spans) => {
    asked += spans;
    await until("every span is in the tables", async () => (await service.storedSpans()) >= asked, 60_000);
  },
  close: service.stop,
});
