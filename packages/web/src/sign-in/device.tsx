import type { Answer, Operations } from "@svc/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { clientOf } from "../client.ts";
import type { Session } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { Select, TextField } from "../ui/field.tsx";
import { NO_ERRORS } from "../ui/form.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { SignInLayout, SignInForm, SignInNote } from "./layout.tsx";
import styles from "./layout.module.css";

const DECIDED = {
  approved: { title: "The device is signed in", lede: "Go back to the device. It continues by itself." },
  denied: { title: "The device is refused", lede: "It gets no key." },
} as const;

const route = getRouteApi("/device");

/** The person types the code that the device shows. */
export function Device() {
  const { user_code: code } = route.useSearch();
  const { session } = route.useLoaderData();
  const navigate = useNavigate();
  const open = (user_code: string | undefined) => void navigate({ to: "/device", search: { user_code } });
  if (code === undefined) return <CodeForm onCode={open} />;
  return <DeviceOfCode key={code} code={code} session={session} onOtherCode={() => open(undefined)} />;
}

const CodeForm = ({ onCode }: { onCode: (code: string) => void }) => (
  <SignInLayout title="Sign in a device" lede="Type the code that the device shows.">
    <SignInForm
      errors={NO_ERRORS}
      busy={false}
      submit="Continue"
      onSubmit={({ code = "" }) => code.trim() !== "" && onCode(code.trim())}
    >
      <TextField
        label="Code"
        name="code"
        autoComplete="off"
        autoCapitalize="characters"
        autoFocus
        placeholder="BDWP-HQPK"
      />
    </SignInForm>
  </SignInLayout>
);

type DeviceOfCodeProps = {
  code: string;
  session: ReturnType<typeof route.useLoaderData>["session"];
  onOtherCode: () => void;
};

function DeviceOfCode({ code, session, onOtherCode }: DeviceOfCodeProps) {
  const { data, error } = useQuery({
    queryKey: ["device.get", code],
    queryFn: ({ signal }) => clientOf().device.get({ user_code: code }, { signal }),
    retry: false,
    staleTime: Infinity,
  });
  if (error)
    return (
      <SignInLayout title="Sign in a device">
        <div className={styles["stack"]}>
          <Failure error={error} again={onOtherCode} />
        </div>
      </SignInLayout>
    );
  if (data === undefined)
    return (
      <SignInLayout title="Sign in a device">
        <Skeleton rows={4} />
      </SignInLayout>
    );
  return <DeviceDecision code={code} device={data} session={session} />;
}

type DecisionProps = { code: string; device: Answer<Operations["device"]["get"]>; session: Session };

function DeviceDecision({ code, device, session }: DecisionProps) {
  const [organizationId, setOrganizationId] = useState(session.organization.id);
  const decide = useMutation({
    mutationFn: async (decision: "approved" | "denied") => {
      const client = clientOf(organizationId);
      await (decision === "approved" ? client.device.approve : client.device.deny)({ user_code: code });
      return decision;
    },
  });
  const decided = decide.data ?? (device.status === "pending" ? undefined : device.status);
  if (decided !== undefined)
    return (
      <SignInLayout title={DECIDED[decided].title} lede={DECIDED[decided].lede}>
        <SignInNote>
          <Link to="/">Go to your pages</Link>
        </SignInNote>
      </SignInLayout>
    );
  const organization = session.organizations.find(({ id }) => id === organizationId);
  return (
    <SignInLayout title="Sign in a device" lede={`${device.client_name} asks for a key of yours.`}>
      <div className={styles["facts"]}>
        <KeyValues
          items={[
            ["Device", device.client_name],
            ["Code", <code key="code">{code.toUpperCase()}</code>],
            ["You are", session.user.email],
            ["Your role", organization?.role],
            ["Valid for", `${Math.ceil(device.expires_in / 60)} min`],
          ]}
        />
      </div>
      <div className={styles["stack"]}>
        <Select
          label="Organization"
          value={organizationId}
          onChange={({ target }) => setOrganizationId(target.value)}
          options={session.organizations.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Notice kind="warning">
          Approve only a code that you see on your own machine. Whoever shows you another one gets a key with your role.
        </Notice>
        {decide.error && <Failure error={decide.error} />}
        <div className={styles["buttons"]}>
          <Button busy={decide.isPending} onClick={() => decide.mutate("denied")}>
            Deny
          </Button>
          <Button look="primary" busy={decide.isPending} onClick={() => decide.mutate("approved")}>
            Approve
          </Button>
        </div>
      </div>
    </SignInLayout>
  );
}
