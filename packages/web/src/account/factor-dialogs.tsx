import type { Answer, Input, Operations } from "@svc/sdk";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { encode } from "uqr";
import { clientOf } from "../client.ts";
import { makePasskey, passkeyOfDevice } from "../passkeys.ts";
import { CodeField, factorOf } from "../second-factor-code.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton, CopyLine } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import styles from "./account.module.css";

export type Factors = Answer<Operations["secondFactor"]["get"]> & Answer<Operations["passkeys"]["list"]>;

/** What the person must enter or use: the password and, for an account with a second factor, a code or a passkey. */
type Shown = Input<Operations["secondFactor"]["disable"]>;

type DialogProps = {
  factors: Factors;
  /** Receives the new recovery codes; null when the service made none. */
  onDone: (codes?: readonly string[] | null) => unknown;
  onClose: () => void;
};

export function EnableApp({ factors, onDone, onClose }: DialogProps) {
  const { data, error, refetch } = useQuery(newSecretQuery);
  const needsPasskey = factors.passkeys.length > 0;
  return (
    <FactorDialog
      title="Set up an authenticator app"
      lede="Scan this with the app on your phone, or type the secret into it."
      submit="Turn it on"
      factors={needsPasskey ? factors : undefined}
      act={async ({ password, ...shown }, { app_code = "" }) => {
        const { recovery_codes } = await clientOf().secondFactor.enable({
          ...shown,
          password,
          code: app_code,
          secret: data!.secret,
        });
        return recovery_codes;
      }}
      isReady={data !== undefined}
      onDone={onDone}
      onClose={onClose}
    >
      {(errorOfCode) => (
        <>
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
            name="app_code"
            inputMode="numeric"
            autoComplete="one-time-code"
            error={needsPasskey ? undefined : errorOfCode}
          />
        </>
      )}
    </FactorDialog>
  );
}

export const AddPasskey = ({ factors, onDone, onClose }: DialogProps) => (
  <FactorDialog
    title="Add a passkey"
    lede="Your device checks your fingerprint, your face or its PIN. With the passkey you sign in without the password."
    submit="Continue"
    factors={factors}
    act={async (shown, { name = "" }) => {
      const { passkeys } = clientOf();
      const made = await makePasskey(await passkeys.options(shown));
      return (await passkeys.add({ name, ...made })).recovery_codes;
    }}
    onDone={onDone}
    onClose={onClose}
  >
    {() => <TextField label="Name" name="name" placeholder="My phone" autoComplete="off" defaultValue="Passkey" />}
  </FactorDialog>
);

export const RenewCodes = ({ factors, onDone, onClose }: DialogProps) => (
  <FactorDialog
    title="Make new recovery codes"
    lede="The present ones stop working."
    submit="Make new codes"
    factors={factors}
    act={async (shown) => (await clientOf().secondFactor.newRecoveryCodes(shown)).recovery_codes}
    onDone={onDone}
    onClose={onClose}
  />
);

export const RemoveFactor = ({
  title,
  remove,
  factors,
  onDone,
  onClose,
}: DialogProps & { title: string; remove: (shown: Shown) => Promise<void> }) => (
  <FactorDialog
    title={title}
    lede="Without an app and passkeys, your password alone opens this account."
    submit="Remove it"
    factors={factors}
    act={async (shown) => {
      await remove(shown);
      return null;
    }}
    onDone={onDone}
    onClose={onClose}
  />
);

type FactorDialogProps = Pick<DialogProps, "onDone" | "onClose"> & {
  title: string;
  lede: string;
  submit: string;
  /** The dialog asks for one of these factors. If undefined, it asks only for the password. */
  factors: Factors | undefined;
  /** Sends the request. Returns new recovery codes, or null when the service made none. */
  act: (shown: Shown, values: Record<string, string>) => Promise<readonly string[] | null>;
  isReady?: boolean;
  children?: (errorOfCode: string | undefined) => ReactNode;
};

function FactorDialog({ factors, act, isReady = true, onDone, children, ...dialog }: FactorDialogProps) {
  const isProtected = factors !== undefined && (factors.authenticator || factors.passkeys.length > 0);
  const hasPasskey = factors !== undefined && factors.passkeys.length > 0;
  const work = useMutation({
    mutationFn: async (values: Record<string, string>) => {
      const { password = "", code = "" } = values;
      return act({ password, ...(isProtected && (await shownOf(code, hasPasskey))) }, values);
    },
    onSuccess: onDone,
  });
  const errors = work.error ? formErrorsOf(work.error, ["password", "code", "name"]) : NO_ERRORS;
  return (
    <FormDialog {...dialog} errors={errors} busy={work.isPending} onSubmit={(values) => isReady && work.mutate(values)}>
      {children?.(errors.fields["code"])}
      <TextField
        label="Your password"
        name="password"
        type="password"
        autoComplete="current-password"
        error={errors.fields["password"]}
      />
      {isProtected && <CodeField error={errors.fields["code"]} ofApp={factors.authenticator} orPasskey={hasPasskey} />}
    </FormDialog>
  );
}

async function shownOf(code: string, hasPasskey: boolean): Promise<Omit<Shown, "password">> {
  if (code.trim() === "" && hasPasskey) return { passkey: await passkeyOfDevice() };
  return code.trim() === "" ? {} : factorOf(code);
}

/** The service never shows the codes again, so only the button closes the dialog. */
export const CodesOnce = ({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) => (
  <Dialog
    title="Your recovery codes"
    lede="Each opens your account once when you do not have your device. Keep them where you keep passwords."
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

/** The QR code is dark on light in every theme, because cameras need that. */
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

/** Requests a new secret each time a dialog opens. */
const newSecretQuery = queryOptions({
  queryKey: ["secondFactor.newSecret"],
  queryFn: ({ signal }) => clientOf().secondFactor.newSecret({}, { signal }),
  staleTime: Infinity,
  gcTime: 0,
});
