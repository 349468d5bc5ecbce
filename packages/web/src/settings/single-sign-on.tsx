import type { Answer, Operations } from "@svc/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useOrganization } from "../shell/place.ts";
import { queries } from "../queries.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { Checkbox } from "../ui/check.tsx";
import { CopyLine } from "../ui/copy.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Select, TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS, valuesOf } from "../ui/form.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { useToast } from "../ui/toast.tsx";
import { AdminsOnly, SettingsPage } from "./settings-page.tsx";
import { singleSignOnQuery } from "./queries.ts";
import styles from "./settings.module.css";

const FIELDS = ["issuer", "clientId", "clientSecret", "domains"];

const JOINING = [
  { value: "", label: "Nobody joins without an invitation" },
  { value: "viewer", label: "Join as viewer" },
  { value: "member", label: "Join as member" },
];

type Shown = Answer<Operations["singleSignOn"]["get"]>;
type Provider = NonNullable<Shown["singleSignOn"]>;

export const SingleSignOnPage = () => (
  <SettingsPage title="Single sign-on">
    <AdminsOnly what="the single sign-on">
      <p className={styles["lede"]}>
        Members sign in with your identity provider, by OpenID Connect. Admins can always sign in with their passwords
        too.
      </p>
      <Loaded />
    </AdminsOnly>
  </SettingsPage>
);

function Loaded() {
  const { organizationId } = useOrganization();
  const { data, error, refetch } = useQuery(singleSignOnQuery(organizationId));
  if (error) return <Failure error={error} again={refetch} />;
  if (data === undefined) return <Skeleton rows={6} />;
  return (
    <div className={styles["parts"]}>
      <Addresses shown={data} />
      <ProviderForm key={data.singleSignOn?.updatedAt} provider={data.singleSignOn} />
    </div>
  );
}

const Addresses = ({ shown: { redirectUri, signInAddress, singleSignOn } }: { shown: Shown }) => (
  <Section title="Addresses">
    <div className={styles["addresses"]}>
      <p>Redirect URI, to enter at the identity provider:</p>
      <CopyLine text={redirectUri} label="Copy the redirect URI" />
      {singleSignOn !== null && (
        <>
          <p>Sign-in address of this organization, for its members:</p>
          <CopyLine text={signInAddress} label="Copy the sign-in address" />
        </>
      )}
    </div>
  </Section>
);

function ProviderForm({ provider }: { provider: Provider | null }) {
  const { client, organizationId } = useOrganization();
  const show = useToast();
  const [removes, setRemoves] = useState(false);
  const refresh = () => queries.invalidateQueries({ queryKey: singleSignOnQuery(organizationId).queryKey });
  const save = useMutation({
    mutationFn: (values: Record<string, string>) =>
      client.singleSignOn.set({
        issuer: values["issuer"] ?? "",
        clientId: values["clientId"] ?? "",
        ...(values["clientSecret"] && { clientSecret: values["clientSecret"] }),
        domains: (values["domains"] ?? "").split(/[\s,]+/).filter((domain) => domain !== ""),
        required: values["required"] !== undefined,
        joinRole: values["joinRole"] === "viewer" || values["joinRole"] === "member" ? values["joinRole"] : null,
      }),
    onSuccess: async () => {
      await refresh();
      show("The single sign-on is saved.");
    },
  });
  const errors = save.error ? errorsOf(save.error) : NO_ERRORS;
  return (
    <Section title="Identity provider">
      <form
        className={styles["form"]}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate(valuesOf(event.currentTarget));
        }}
      >
        {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
        <TextField
          label="Issuer"
          name="issuer"
          placeholder="https://login.example.com"
          autoComplete="off"
          spellCheck={false}
          defaultValue={provider?.issuer}
          help="Exactly as the provider writes it."
          error={errors.fields["issuer"]}
        />
        <TextField
          label="Client id"
          name="clientId"
          autoComplete="off"
          spellCheck={false}
          defaultValue={provider?.clientId}
          error={errors.fields["clientId"]}
        />
        <TextField
          label="Client secret"
          name="clientSecret"
          type="password"
          autoComplete="off"
          help={
            provider
              ? "The service keeps the present one. Enter another to replace it."
              : "The service seals it and never shows it again."
          }
          error={errors.fields["clientSecret"]}
        />
        <TextField
          label="E-mail domains"
          name="domains"
          placeholder="example.com"
          autoComplete="off"
          spellCheck={false}
          defaultValue={provider?.domains.join(", ")}
          help="The provider opens accounts with verified addresses of these domains only."
          error={errors.fields["domains"]}
        />
        <Select
          label="People of these domains without an account"
          name="joinRole"
          defaultValue={provider?.joinRole ?? ""}
          options={JOINING}
        />
        <Checkbox
          name="required"
          label="Require it"
          defaultChecked={provider?.required === true}
          help="Members and viewers act here only after a sign-in with the provider. Admins keep their passwords as the way back. API keys work on."
        />
        <div className={styles["buttons"]}>
          <Button type="submit" look="primary" busy={save.isPending}>
            Save
          </Button>
          {provider && (
            <Button look="danger" onClick={() => setRemoves(true)}>
              Remove
            </Button>
          )}
        </div>
      </form>
      {removes && (
        <ConfirmDialog
          title="Remove the single sign-on"
          action="Remove it"
          act={async () => {
            await client.singleSignOn.remove();
            await refresh();
          }}
          onClose={() => setRemoves(false)}
        >
          <p>
            Sessions that the provider started end. Accounts stay; people without a password set one by a password link,
            which the page Members creates.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

/** One field contains all domains, so that field shows the first error of a domain. */
function errorsOf(error: unknown) {
  const { fields, form } = formErrorsOf(error, [...FIELDS, ...Array.from({ length: 20 }, (_, at) => `domains.${at}`)]);
  const ofDomain = Object.entries(fields).find(([path]) => path.startsWith("domains"));
  return { form, fields: ofDomain ? { ...fields, domains: ofDomain[1] } : fields };
}
