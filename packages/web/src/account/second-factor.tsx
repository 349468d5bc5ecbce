import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { encode } from "uqr";
import { clientOf } from "../client.ts";
import { queries } from "../queries.ts";
import { CodeField, factorOf } from "../second-factor-code.tsx";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { CopyButton, CopyLine } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import styles from "./account.module.css";

const FEW_CODES = 3;

type Action = "enable" | "codes" | "disable";

/** What a sign-in with the password asks for besides, and how to change it. */
export function SecondFactor() {
  const { data, error, refetch } = useQuery(secondFactorQuery);
  const [action, setAction] = useState<Action>();
  const [codes, setCodes] = useState<readonly string[]>();
  const changed = () => queries.invalidateQueries(secondFactorQuery);
  const close = () => setAction(undefined);
  const gotCodes = async (fresh: readonly string[]) => {
    close();
    setCodes(fresh);
    await changed();
  };
  return (
    <Section title="Second factor">
      {error && <Failure error={error} again={refetch} />}
      {data === undefined && !error && <Skeleton rows={2} />}
      {data?.authenticator === false && (
        <>
          <p className={styles["text"]}>
            Your password alone opens this account. With an authenticator app on your phone, whoever steals the password
            also needs a code that changes every 30 seconds.
          </p>
          <Button onClick={() => setAction("enable")}>Set up an authenticator app</Button>
        </>
      )}
      {data?.authenticator === true && (
        <div className={styles["settings"]}>
          <Notice kind={data.recovery_codes_left < FEW_CODES ? "warning" : "good"}>
            A sign-in asks for a code of your authenticator app. {recoveryWords(data.recovery_codes_left)}
          </Notice>
          <div className={styles["buttons"]}>
            <Button onClick={() => setAction("codes")}>Make new recovery codes</Button>
            <Button look="danger" onClick={() => setAction("disable")}>
              Turn it off
            </Button>
          </div>
        </div>
      )}
      {action === "enable" && <EnableDialog onCodes={gotCodes} onClose={close} />}
      {action === "codes" && <NewCodesDialog onCodes={gotCodes} onClose={close} />}
      {action === "disable" && <DisableDialog onDone={changed} onClose={close} />}
      {codes && <CodesOnce codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  );
}

const recoveryWords = (left: number): string =>
  left === 0
    ? "No recovery code is left. Make new ones."
    : `${left} recovery ${left === 1 ? "code is" : "codes are"} left.`;

type DialogProps = { onCodes: (codes: readonly string[]) => unknown; onClose: () => void };

/** Shows a new secret, and asks for its first code. */
function EnableDialog({ onCodes, onClose }: DialogProps) {
  const { data, error, refetch } = useQuery(newSecretQuery);
  const enable = useMutation({
    mutationFn: ({ password = "", code = "" }: Record<string, string>) =>
      clientOf().secondFactor.enable({ password, code, secret: data!.secret }),
    onSuccess: ({ recovery_codes }) => onCodes(recovery_codes),
  });
  const errors = enable.error ? formErrorsOf(enable.error, ["password", "code"]) : NO_ERRORS;
  return (
    <FormDialog
      title="Set up an authenticator app"
      lede="Scan this with the app on your phone, or type the secret into it."
      submit="Turn it on"
      errors={errors}
      busy={enable.isPending}
      onSubmit={(values) => data !== undefined && enable.mutate(values)}
      onClose={onClose}
    >
      {error && <Failure error={error} again={refetch} />}
      {data === undefined && !error && <Skeleton rows={4} />}
      {data !== undefined && (
        <div className={styles["secret"]}>
          <QrCode text={data.uri} />
          <CopyLine text={data.secret} label="Copy the secret" />
        </div>
      )}
      <TextField
        label="Code that the app shows"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        error={errors.fields["code"]}
      />
      <PasswordField error={errors.fields["password"]} />
    </FormDialog>
  );
}

/** Replaces the recovery codes. */
function NewCodesDialog({ onCodes, onClose }: DialogProps) {
  const renew = useMutation({
    mutationFn: ({ password = "", code = "" }: Record<string, string>) =>
      clientOf().secondFactor.newRecoveryCodes({ password, code }),
    onSuccess: ({ recovery_codes }) => onCodes(recovery_codes),
  });
  const errors = renew.error ? formErrorsOf(renew.error, ["password", "code"]) : NO_ERRORS;
  return (
    <FormDialog
      title="Make new recovery codes"
      lede="The present ones stop working."
      submit="Make new codes"
      errors={errors}
      busy={renew.isPending}
      onSubmit={renew.mutate}
      onClose={onClose}
    >
      <TextField
        label="Code of your authenticator app"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        error={errors.fields["code"]}
      />
      <PasswordField error={errors.fields["password"]} />
    </FormDialog>
  );
}

/** Turns the second factor off. */
function DisableDialog({ onDone, onClose }: { onDone: () => unknown; onClose: () => void }) {
  const disable = useMutation({
    mutationFn: ({ password = "", code = "" }: Record<string, string>) =>
      clientOf().secondFactor.disable({ password, ...factorOf(code) }),
    onSuccess: async () => {
      await onDone();
      onClose();
    },
  });
  const errors = disable.error ? formErrorsOf(disable.error, ["password", "code"]) : NO_ERRORS;
  return (
    <FormDialog
      title="Turn the second factor off"
      lede="From then on your password alone opens this account."
      submit="Turn it off"
      errors={errors}
      busy={disable.isPending}
      onSubmit={disable.mutate}
      onClose={onClose}
    >
      <CodeField error={errors.fields["code"]} />
      <PasswordField error={errors.fields["password"]} />
    </FormDialog>
  );
}

const PasswordField = ({ error }: { error: string | undefined }) => (
  <TextField label="Your password" name="password" type="password" autoComplete="current-password" error={error} />
);

/** Shows the recovery codes, once. Only the button closes the dialog. */
const CodesOnce = ({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) => (
  <Dialog
    title="Your recovery codes"
    lede="Each opens your account once when you do not have your phone. Keep them where you keep passwords."
    footer={
      <>
        <CopyButton text={codes.join("\n")} look="plain" small={false}>
          Copy all
        </CopyButton>
        <Button look="primary" onClick={onClose}>
          I have the codes
        </Button>
      </>
    }
  >
    <ul className={styles["codes"]}>
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
    <p>The service shows them only now.</p>
  </Dialog>
);

/** A text as a QR code, dark on light in every theme, as cameras need it. */
function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { ecc: "M", border: 3 });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg className={styles["qr"]} viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code of the secret">
      <rect width={size} height={size} fill="white" />
      <path d={squares.join("")} fill="black" shapeRendering="crispEdges" />
    </svg>
  );
}

const secondFactorQuery = queryOptions({
  queryKey: ["secondFactor.get"],
  queryFn: ({ signal }) => clientOf().secondFactor.get({}, { signal }),
});

/** A new secret for each dialog. */
const newSecretQuery = queryOptions({
  queryKey: ["secondFactor.newSecret"],
  queryFn: ({ signal }) => clientOf().secondFactor.newSecret({}, { signal }),
  staleTime: Infinity,
  gcTime: 0,
});
