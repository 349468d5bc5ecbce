import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { LIMITS } from "@svc/sdk";
import { useOrganization } from "../shell/place.ts";
import { queries } from "../queries.ts";
import { sessionQuery } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS, valuesOf } from "../ui/form.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { useToast } from "../ui/toast.tsx";
import { AdminsOnly, SettingsPage } from "./settings-page.tsx";
import { conditionsQuery, organizationQuery } from "./queries.ts";
import styles from "./settings.module.css";
import { Section } from "../ui/card.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Time } from "../ui/time.tsx";

export const OrganizationPage = () => (
  <SettingsPage title="Organization">
    <AdminsOnly what="the organization">
      <div className={styles["parts"]}>
        <NameForm />
        <Conditions />
        <Reseal />
      </div>
    </AdminsOnly>
  </SettingsPage>
);

function NameForm() {
  const { client, organizationId, name: shown } = useOrganization();
  const { data } = useQuery(organizationQuery(organizationId));
  const router = useRouter();
  const show = useToast();
  const rename = useMutation({
    mutationFn: (name: string) => client.organization.edit({ name }),
    onSuccess: async (answer) => {
      queries.setQueryData(organizationQuery(organizationId).queryKey, answer);
      await queries.refetchQueries(sessionQuery);
      await router.invalidate();
      show("The name is saved.");
    },
  });
  const errors = rename.error ? formErrorsOf(rename.error, ["name"]) : NO_ERRORS;
  const name = data?.organization.name ?? shown;
  return (
    <form
      key={name}
      className={styles["form"]}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate(valuesOf(event.currentTarget)["name"] ?? "");
      }}
    >
      {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
      <TextField
        label="Name"
        name="name"
        defaultValue={name}
        maxLength={LIMITS.nameCharacters}
        error={errors.fields["name"]}
      />
      <Button type="submit" look="primary" busy={rename.isPending}>
        Save
      </Button>
    </form>
  );
}

function Conditions() {
  const { organizationId } = useOrganization();
  const { data, error, refetch } = useQuery(conditionsQuery(organizationId));
  return (
    <Section title="Condition of the service">
      {error && <Failure error={error} again={refetch} />}
      {data === undefined && !error && <Skeleton rows={2} />}
      {data?.conditions.length === 0 && <p className={styles["muted"]}>The service has no problem.</p>}
      {data !== undefined && data.conditions.length > 0 && (
        <div className={styles["conditions"]}>
          {data.conditions.map(({ code, projectId, message, remedy, count, since, degrades }) => (
            <Notice key={`${code} ${projectId}`} kind={degrades ? "failed" : "warning"}>
              <p>
                <b>{message}</b>
                {count !== null && count > 1 && ` (${count} times)`}
              </p>
              <p>{remedy}</p>
              <p>
                Since <Time at={since} />
              </p>
            </Notice>
          ))}
        </div>
      )}
    </Section>
  );
}

function Reseal() {
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

const credentials = (count: number): string => (count === 1 ? "1 credential" : `${count} credentials`);

export function resealWords(result: { resealed: number; current: number; unreadable: number }): string {
  const { resealed, current, unreadable } = result;
  const parts = [
    resealed > 0 && `The newest key now seals ${credentials(resealed)} more.`,
    current > 0 && `It sealed ${credentials(current)} already.`,
    unreadable > 0 &&
      `No configured key opens ${credentials(unreadable)}: add the key that sealed them, or enter them again.`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? "The organization has no credential." : parts.join(" ");
}
