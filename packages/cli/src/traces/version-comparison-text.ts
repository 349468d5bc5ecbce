import type { ComparedQuantity, VersionComparison } from "@svc/contract";
import { VERSION_VERDICT_WORDS } from "@svc/contract/constants";
import { hang, paint, table } from "../terminal/output.ts";
import { amount } from "./amount.ts";

export function versionComparisonText({ words, first, second, quantities }: VersionComparison, all: boolean): string {
  const [result, ...notes] = words;
  const isShown = ({ verdict }: ComparedQuantity) => all || ["worse", "better", "differs"].includes(verdict);
  const shown = quantities.filter(isShown);
  const rest = quantities.length - shown.length;
  const parts = [[paint.bold(hang(result ?? "", 0)), ...notes.map((note) => hang(note, 0))].join("\n")];
  if (shown.length > 0)
    parts.push(
      table(
        shown,
        [
          { title: "is", cell: verdictText },
          { title: "quantity", cell: ({ label }) => label, cut: true },
          { title: first.version, cell: (quantity) => sideText(quantity, "first"), right: true },
          { title: second.version, cell: (quantity) => sideText(quantity, "second"), right: true },
          { title: "difference", cell: differenceText, right: true, spare: 1 },
          { title: "p", cell: ({ p }) => (p === null ? "?" : p.toPrecision(2)), right: true, spare: 2 },
        ],
        "",
      ),
    );
  if (rest > 0) parts.push(paint.dim(`${rest} more quantities without a difference: --all prints them.`));
  return parts.join("\n\n");
}

function verdictText({ verdict }: ComparedQuantity): string {
  const words = VERSION_VERDICT_WORDS[verdict];
  if (verdict === "worse") return paint.red(words);
  return verdict === "better" ? paint.green(words) : words;
}

const sideText = (quantity: ComparedQuantity, side: "first" | "second"): string =>
  `${amount(quantity[side].value, quantity.unit)} (n ${quantity[side].n})`;

function differenceText({ difference, low, high, unit }: ComparedQuantity): string {
  if (difference === null) return "?";
  const signed = (value: number) => `${value > 0 ? "+" : ""}${amount(value, unit)}`;
  return low === null || high === null
    ? signed(difference)
    : `${signed(difference)} (${signed(low)} to ${signed(high)})`;
}
