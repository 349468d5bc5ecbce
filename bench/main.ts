// Runs a benchmark: `npm run bench -- NAME`, with the benchmark's own arguments after its name. Without a name it lists all.
const BENCHMARKS: Record<string, string> = {
  binary: "start, memory and commands of the single executable",
  calls: "memory, processor time and frame gaps of calls over a media stream",
  compare: "how often the comparison of runs is right, on simulated pairs",
  confusion: "how many of the hard cases the checks of behaviors decide rightly",
  decode: "time to decode a span, compared with protobufjs and JSON.parse",
  derive: "processor time of a span from a body to a derived conversation, compared with another checkout",
  groups: "how well failing turns of known causes are grouped",
  hearing: "which answers of a call are heard, missed and invented under noise and echo",
  ingest: "spans a second and processor time a span, compared with a plain server",
  judging: "processor time of 200 varied alert rules over 72,000 conversations",
  json: "decoding of JSON bodies, compared with JSON.parse and JSON.stringify",
  lists: "how long the largest lists block the service",
  live: "answers, memory, and how late conversations are derived, while calls go on for minutes",
  loop: "events through a webhook, and the cost of alert rules and destinations at rest",
  peers: "ingest of the service and of other programs that this machine has",
  profiles: "the embedded stores, compared with PostgreSQL and ClickHouse",
  readers: "ingest while many clients read one large conversation",
  reads: "reads over HTTP of a million spans in 40,000 conversations",
  rebuild: "the tables of traces built again from the journal of a million spans",
  regroup: "time to group the largest thing again, by words and with vectors",
  rooms: "calls in rooms of a real media server",
  runs: "a run of 500 simulations over HTTP chat",
  sentences: "how each sentence of the golden file of behaviors is read",
  "sign-ins": "ingest beside many sign-ins at once, whose passwords are hashed",
  "stored-reads": "reads of the trace store alone, over 400,000 conversations",
  telephone: "calls over SIP: delay of sound, packet gaps, calls in a row, and what is heard at lost packets",
  web: "weight of the pages; times of paints, interactions and frames in a Chromium",
};

const [name] = process.argv.splice(2, 1); // removes the name, so that the benchmark finds its own arguments at the usual place
if (name !== undefined && Object.hasOwn(BENCHMARKS, name)) await import(`./${name}.ts`);
else {
  const width = Math.max(...Object.keys(BENCHMARKS).map((each) => each.length));
  for (const [each, measures] of Object.entries(BENCHMARKS)) console.log(`${each.padEnd(width)}  ${measures}`);
  if (name !== undefined) {
    console.error(`There is no benchmark ${name}.`);
    process.exitCode = 1;
  }
}
