import { Counter, Gauge, type Registry } from "prom-client";

/** Value of a metric at a scrape: one number, or one number for each set of labels. Undefined when the number is unknown. */
type Reading<Label extends string> = number | Iterable<readonly [Record<Label, string>, number]> | undefined;
type Read<Label extends string> = () => Reading<Label> | Promise<Reading<Label>>;

export type Collected = {
  gauge: <Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[],
    read: Read<Label>,
  ) => void;
  /** The metric's name ends with `_total`. */
  counter: <Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[],
    read: Read<Label>,
  ) => void;
};

/**
 * Creates metrics whose values are read at each scrape. When a read fails or takes longer than `limitMs`, the metric has no value in this
 * scrape, and `failed` gets the metric's name and the error.
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
          // After a reset, a metric without labels has the value 0. Its value is unknown, so it is removed.
          if (values.length === 0 && labels.length === 0) this.remove();
          for (const [of, value] of values) this.inc(of, value);
        },
      });
      registry.registerMetric(metric);
    };

  return { gauge: creates(Gauge), counter: creates(Counter) };
}
