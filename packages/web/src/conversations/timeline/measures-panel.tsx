import type { Trace } from "@svc/contract";
import { withoutUnheard } from "@svc/contract/constants";
import { Provenance } from "../../ui/provenance.tsx";
import { differenceText, type HeardPair, heardPairs, withoutPairs } from "./heard.ts";
import { measureText, valueOf } from "./measure-text.ts";
import styles from "./panels.module.css";

/** The inspector's part with every measure of the conversation; unavailable ones say why. */
export function MeasuresPanel({ conversation }: { conversation: Trace }) {
  const pairs = heardPairs(conversation.measures);
  return (
    <>
      {pairs.length > 0 && <HeardTable pairs={pairs} />}
      <p className={styles["small"]}>Means; counts and tokens are sums.</p>
      <table className={styles["measures"]}>
        <tbody>
          {withoutUnheard(withoutPairs(conversation.measures, pairs)).map((measure) => {
            const { label, meaning, value, detail } = measureText(measure);
            return (
              <tr key={measure.name}>
                <td>
                  <div title={meaning}>{label}</div>
                  {detail !== null && <div className={styles["reason"]}>{detail}</div>}
                </td>
                <td className={styles["number"]}>{value}</td>
                <td className={styles["source"]}>
                  <Provenance provenance={measure.provenance} short />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

/** The measures from the sound of the call beside those that the agent reports. */
function HeardTable({ pairs }: { pairs: readonly HeardPair[] }) {
  const text = ({ summary, provenance }: HeardPair["heard"], unit: HeardPair["unit"]) =>
    provenance === "unavailable" || summary.mean === null ? "–" : valueOf(summary.mean, unit);
  return (
    <section className={styles["heard"]}>
      <h3 className={styles["title"]}>Reported and heard</h3>
      <table className={styles["measures"]}>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Measure</span>
            </th>
            <th scope="col">Reported</th>
            <th scope="col">Heard</th>
          </tr>
        </thead>
        <tbody>
          {pairs.map(({ label, meaning, unit, heard, reported, difference }) => (
            <tr key={heard.name}>
              <th scope="row">
                <div title={meaning}>{label}</div>
                {difference !== null && (
                  <div className={styles["reason"]}>{differenceText(difference, unit)} as heard</div>
                )}
              </th>
              <td className={styles["number"]} title={reported.reason ?? undefined}>
                {text(reported, unit)}
              </td>
              <td className={styles["number"]}>{text(heard, unit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
