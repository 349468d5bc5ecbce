import { useMutation } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { Section } from "../ui/card.tsx";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { Notice } from "../ui/notice.tsx";
import { resealWords } from "./reseal-words.ts";
import styles from "./settings.module.css";

/** Seals the stored credentials with the newest encryption key. */
export function Reseal() {
  const { client } = useOrganization();
  const reseal = useMutation({ mutationFn: () => client.organization.reseal() });
  return (
    <Section title="Sealed credentials">
      <p className={styles["lede"]}>
        The service encrypts credentials of connections, platforms and providers. After you have added a newer key in
        front of <code>SVC_ENCRYPTION_KEY</code>, seal them again; then you can remove the older key.
      </p>
      <div className={styles["form"]}>
        {reseal.error && <Failure error={reseal.error} />}
        {reseal.data && (
          <Notice kind={reseal.data.unreadable > 0 ? "warning" : "info"}>{resealWords(reseal.data)}</Notice>
        )}
        <Button busy={reseal.isPending} onClick={() => reseal.mutate()}>
          Seal again
        </Button>
      </div>
    </Section>
  );
}
