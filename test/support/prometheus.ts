type Sample = { name: string; labels: string; value: number };
export type Family = { type: string; help: string; samples: Sample[] };

const COMMENT = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/;
const SAMPLE =
  /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})? (NaN|[+-]Inf|[-+]?[\d.]+(?:e[-+]?\d+)?)$/;
/** The suffixes of the sample names that a metric type has besides its own name. */
const SUFFIXES: Record<string, string[]> = {
  histogram: ["_bucket", "_sum", "_count"],
  summary: ["_sum", "_count", ""],
};

/** Reads the text format of Prometheus, version 0.0.4. Throws at an invalid line, and at a series that occurs twice. */
export function parseMetrics(text: string): Map<string, Family> {
  if (!text.endsWith("\n")) throw new Error("the text does not end with a line feed");
  const families = new Map<string, Family>();
  const series = new Set<string>();
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const [, kind, about, words] = COMMENT.exec(line) ?? [];
    if (kind !== undefined) {
      const family = families.get(about!) ?? { type: "", help: "", samples: [] };
      const member = kind === "HELP" ? "help" : "type";
      if (family[member] !== "") throw new Error(`${kind} of ${about} comes twice`);
      family[member] = words!;
      families.set(about!, family);
      continue;
    }
    const [, name, labels = "", value] = SAMPLE.exec(line) ?? [];
    if (name === undefined) throw new Error(`not a line of the format: ${line}`);
    if (series.has(name + labels)) throw new Error(`the series ${name}${labels} comes twice`);
    series.add(name + labels);
    familyOf(families, name).samples.push({ name, labels, value: Number(value!.replace("Inf", "Infinity")) });
  }
  return families;
}

/** Returns the family of a sample, which must come before it. */
function familyOf(families: Map<string, Family>, name: string): Family {
  for (const [family, found] of families)
    if ((SUFFIXES[found.type] ?? [""]).some((suffix) => family + suffix === name)) return found;
  throw new Error(`${name} belongs to no metric with a type`);
}

/** Returns the value of the series with this name and exactly these labels; 0 when there is none. */
export function valueOf(families: Map<string, Family>, name: string, labels = ""): number {
  const samples = [...families.values()].flatMap((family) => family.samples);
  return samples.find((sample) => sample.name === name && sample.labels === labels)?.value ?? 0;
}
