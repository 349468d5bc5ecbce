const works: (() => void)[] = [];

/** Runs `work` when this process ends, even by SIGTERM, the signal with which the test runner ends its processes. */
export function atProcessEnd(work: () => void): void {
  if (works.push(work) > 1) return;
  process.once("exit", end);
  process.once("SIGTERM", () => {
    end();
    process.kill(process.pid, "SIGTERM");
  });
}

function end(): void {
  for (const work of works.splice(0)) work();
}
