import { openIntake } from "../../packages/server/src/traces/intake.ts";
import { openAnalytics } from "../../packages/server/src/traces/store/analytics.ts";
import { silent } from "./ingest.ts";

/** A body to take. The answer is its number, once it is acknowledged. */
export type ChildTask = { number: number; body: Buffer };

// A server's ingest without the HTTP: started by a spec, which kills it.
const dataDir = process.argv[2]!;
const analytics = await openAnalytics({ dataDir, log: silent });
const intake = await openIntake({ dataDir, analytics, log: silent });

process.on("message", async ({ number, body }: ChildTask) => {
  await intake.take({ project: 1, encoding: "protobuf", gzip: false, chunks: [Buffer.from(body)] });
  process.send!(number);
});
process.send!("ready");
