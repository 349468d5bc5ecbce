import { openIntake } from "../../packages/server/src/traces/intake.ts";
import { openAnalytics } from "../../packages/server/src/traces/store/analytics.ts";
import { silent } from "./ingest.ts";

/** A body to ingest. The child sends its number back once it is acknowledged. */
export type ChildTask = { number: number; body: Buffer };

// The ingest of a server without HTTP. A spec starts and kills it.
const dataDir = process.argv[2]!;
const analytics = await openAnalytics({ dataDir, log: silent });
const intake = await openIntake({ dataDir, analytics, log: silent });

process.on("message", async ({ number, body }: ChildTask) => {
  await intake.take({ project: 1, encoding: "protobuf", gzip: false, chunks: [Buffer.from(body)] });
  process.send!(number);
});
process.send!("ready");
