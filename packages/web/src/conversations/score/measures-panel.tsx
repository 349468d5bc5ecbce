import type { Trace } from "@svc/contract";
import { withoutUnheard } from "@svc/contract/constants";
import { Provenance } from "../../ui/provenance.tsx";
import { measureText } from "./measure-text.ts";
import styles from "./panels.module.css";

/** The inspector's part with every measure of the conversation; unavailable ones say why. */
export function MeasuresPanel({ conversation }: { conversation: Trace }) {
  return (
    <>
      <p className={styles["small"]}>Means; counts and tokens are sums.</p>
      <table className={styles["measures"]}>
        <tbody>
          {withoutUnheard(conversation.measures).map((measure) => {
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
