import { useQuery } from "@tanstack/react-query";
import { Page } from "../frame/page.tsx";
import { sessionQuery } from "../session.ts";
import { Section } from "../ui/card.tsx";
import { KeyValues } from "../ui/key-values.tsx";
import styles from "./account.module.css";
import { DeleteAccount } from "./delete-account.tsx";
import { Interface } from "./interface.tsx";
import { Organizations } from "./organizations.tsx";
import { NameForm } from "./name-form.tsx";
import { PasswordForm } from "./password-form.tsx";
import { Sessions } from "./sessions.tsx";

/** The person's own settings, the same in every organization. */
export function Account() {
  const { data: session } = useQuery(sessionQuery);
  if (session === undefined) return null;
  const { user, organizations } = session;
  return (
    <Page title="Account">
      <div className={styles["parts"]}>
        <Section title="You">
          <div className={styles["settings"]}>
            <KeyValues items={[["E-mail", user.email]]} />
            <NameForm name={user.name} />
          </div>
        </Section>
        <Interface />
        <PasswordForm email={user.email} />
        <Sessions />
        <Organizations organizations={organizations} />
        <DeleteAccount email={user.email} />
      </div>
    </Page>
  );
}
