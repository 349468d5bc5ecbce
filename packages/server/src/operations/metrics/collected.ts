import { Counter, Gauge, type Registry } from "prom-client";

/** The value of a metric at a scrape: one number, or a number for each set of labels; undefined where the number is not known. */
type Reading<Label extends string> = number | Iterable<readonly [Record<Label, string>, number]> | undefined;
type Read<Label extends string> = () => Reading<Label> | Promise<Reading<Label>>;

/** Creates metrics of one registry whose values are read at each scrape from what the features know. */
export type Collected = {
  /** A number that rises and falls. */
  gauge: <Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[],
    read: Read<Label>,
  ) => void;
  /** A number that only rises until the process ends; its name ends in `_total`. */
  counter: <Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[],
    read: Read<Label>,
  ) => void;
};

/**
 * Creates the metrics of `registry`. A read that fails, or takes longer than `limitMs`, leaves its metric without a value; `failed`
 * gets the metric's name and the error.
 */
export function createCollected(
  registry: Registry,
  limitMs: number,
  failed: (name: string, error: unknown) => void,
): Collected {
  async function take<Label extends string>(name: string, read: Read<Label>): Promise<(readonly [object, number])[]> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`not known within ${limitMs} ms`)), limitMs);
    try {
      const reading = await Promise.race([read(), late.promise]);
      if (reading === undefined) return [];
      return typeof reading === "number" ? [[{}, reading]] : [...reading];
    } catch (error) {
      failed(name, error);
      return [];
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns a function that creates metrics of one kind. */
  const creates =
    (Kind: typeof Gauge<string> | typeof Counter<string>): Collected["gauge"] =>
    (name, help, labels, read) => {
      const metric = new Kind({
        name,
        help,
        labelNames: labels,
        registers: [],
        async collect() {
          const values = await take(name, read);
          this.reset();
          // A metric without labels has the value 0 after its reset, which would say more than is known.
          if (values.length === 0 && labels.length === 0) this.remove();
          for (const [of, value] of values) this.inc(of, value);
        },
      });
      registry.registerMetric(metric);
    };

  return { gauge: creates(Gauge), counter: creates(Counter) };
}
