import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { LIMITS } from "@svc/sdk";
import { useOrganization } from "../frame/place.ts";
import { queries } from "../queries.ts";
import { sessionQuery } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form-errors.ts";
import { valuesOf } from "../ui/form-values.ts";
import { Notice } from "../ui/notice.tsx";
import { useToast } from "../ui/toast.tsx";
import { AdminsOnly } from "./admins-only.tsx";
import { Conditions } from "./conditions.tsx";
import { organizationQuery } from "./queries.ts";
import { Reseal } from "./reseal.tsx";
import { SettingsPage } from "./settings-page.tsx";
import styles from "./settings.module.css";

/** The organization's name, and for admins the problems of the service and the sealed credentials. */
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
