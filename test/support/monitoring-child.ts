import { startMonitoring } from "../../packages/server/src/monitoring/monitoring.ts";
import { createSealing } from "../../packages/server/src/sealing.ts";
import { readOrCreateSecret } from "../../packages/server/src/secrets.ts";
import { openRelational } from "../../packages/server/src/stores/relational.ts";
import { createSealedCredentials } from "../../packages/server/src/stores/sealed-credentials.ts";
import { openIntake } from "../../packages/server/src/traces/intake.ts";
import { openTraceStore } from "../../packages/server/src/traces/store/open.ts";
import { silent } from "./ingest.ts";
import { FAST } from "./monitoring-pace.ts";

// The import of a server without HTTP. A spec starts and kills it.
const [dataDir, baseUrl] = process.argv.slice(2) as [string, string];
const { reader, loader } = await openTraceStore({ dataDir, log: silent });
const intake = await openIntake({ dataDir, loader, log: silent });
const { db } = openRelational(dataDir);
const sealed = createSealedCredentials(db, createSealing(readOrCreateSecret(dataDir, "encryption-key", undefined)));
const pace = { ...FAST, pageCalls: 25, leaseMs: 60 };
startMonitoring({ db, sealed, intake, lastSentMs: reader.lastSentMs, log: silent as never, baseUrl, pace });
process.send!("ready");
