import type { Answer, Operations } from "@svc/sdk";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { clientOf } from "../client.ts";
import type { Session } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { Select } from "../ui/field.tsx";
import { KeyValues } from "../ui/key-values.tsx";
import { Notice } from "../ui/notice.tsx";
import { Door, DoorNote } from "./door.tsx";
import styles from "./door.module.css";

type DecisionProps = { code: string; device: Answer<Operations["device"]["get"]>; session: Session };

const DECIDED = {
  approved: { title: "The device is signed in", lede: "Go back to the device. It continues by itself." },
  denied: { title: "The device is refused", lede: "It gets no key." },
} as const;

/** Shows what asks for a key, and asks the person for a decision. */
export function DeviceDecision({ code, device, session }: DecisionProps) {
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
      <Door title={DECIDED[decided].title} lede={DECIDED[decided].lede}>
        <DoorNote>
          <Link to="/">Go to your pages</Link>
        </DoorNote>
      </Door>
    );
  const organization = session.organizations.find(({ id }) => id === organizationId);
  return (
    <Door title="Sign in a device" lede={`${device.client_name} asks for a key of yours.`}>
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
    </Door>
  );
}
