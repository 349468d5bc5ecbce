import { LIMITS } from "@svc/contract/constants";
import type { Trunk } from "@svc/sdk";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { refresh } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Checkbox } from "../ui/check.tsx";
import { TextArea, TextField } from "../ui/field.tsx";
import { type FormErrors, formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import styles from "./trunks.module.css";

const FIELDS = [
  "name",
  "address",
  "callerId",
  "credential.user",
  "credential.password",
  "allowedNumbers",
  ...Array.from({ length: LIMITS.allowedNumbers }, (_, line) => `allowedNumbers.${line}`),
  "maxCallSeconds",
  "callsPerMinute",
  "callsPerDay",
];

type TrunkDialogProps = {
  /** The trunk to edit; undefined for a new one. */
  trunk?: Trunk;
  onClose: () => void;
};

export function TrunkDialog({ trunk, onClose }: TrunkDialogProps) {
  const place = usePlace();
  const [removesPassword, setRemovesPassword] = useState(false);
  const save = useMutation({
    mutationFn: (values: Record<string, string>) => {
      const wanted = { ...contentOf(values), projectId: place.projectId };
      const credential = credentialOf(values);
      if (trunk === undefined)
        return place.client.trunks.create({ ...wanted, ...(credential !== undefined && { credential }) });
      return place.client.trunks.edit({
        ...wanted,
        ...(credential !== undefined && { credential }),
        ...(removesPassword && { credential: null }),
        trunkId: trunk.id,
        expectedRevision: trunk.revision,
      });
    },
    onSuccess: async () => {
      await refresh(place, "trunks.list");
      onClose();
    },
  });
  const errors = save.error ? formErrorsOf(save.error, FIELDS) : NO_ERRORS;
  const number = (name: "maxCallSeconds" | "callsPerMinute" | "callsPerDay", label: string, first: number) => (
    <TextField
      label={label}
      name={name}
      inputMode="numeric"
      autoComplete="off"
      defaultValue={trunk?.[name] ?? first}
      error={errors.fields[name]}
    />
  );
  return (
    <FormDialog
      title={
        trunk === undefined ? (
          "New trunk"
        ) : (
          <>
            Trunk “<bdi>{trunk.name}</bdi>”
          </>
        )
      }
      lede="The service calls the numbers in the allow-list over SIP. Changes also affect runs that are in progress."
      submit={trunk === undefined ? "Create trunk" : "Save trunk"}
      errors={errors}
      busy={save.isPending}
      onSubmit={(values) => save.mutate(values)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        autoComplete="off"
        autoFocus
        maxLength={LIMITS.nameCharacters}
        defaultValue={trunk?.name}
        error={errors.fields["name"]}
      />
      <TextField
        label="Address"
        name="address"
        autoComplete="off"
        spellCheck={false}
        placeholder="sip.example.com:5060"
        defaultValue={trunk?.address}
        error={errors.fields["address"]}
      />
      <TextField
        label="Caller id"
        name="callerId"
        autoComplete="off"
        placeholder="+493012345678"
        defaultValue={trunk?.callerId}
        help="The number that the agent sees as the caller. Your carrier says which numbers it permits."
        error={errors.fields["callerId"]}
      />
      <TextField
        label="User"
        name="user"
        autoComplete="off"
        spellCheck={false}
        help={
          trunk?.credentialPresent
            ? "Enter a user and a password only to replace the stored ones."
            : "Only for a trunk that asks for a password."
        }
        error={errors.fields["credential.user"]}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="off"
        {...(trunk?.credentialPresent && { placeholder: `…${trunk.credentialsHint}` })}
        error={errors.fields["credential.password"]}
      />
      {trunk?.credentialPresent && (
        <Checkbox
          label="Remove the stored user and password"
          checked={removesPassword}
          onChange={({ target }) => setRemovesPassword(target.checked)}
        />
      )}
      <TextArea
        label="Numbers that may be called"
        name="allowedNumbers"
        rows={4}
        spellCheck={false}
        placeholder={"+493087654321\n+4930*"}
        defaultValue={trunk?.allowedNumbers.join("\n")}
        help="One on each line: a number in E.164, or the beginning of numbers and *. Empty: none. Emergency and premium numbers are never called."
        error={numbersErrorOf(errors)}
      />
      <div className={styles["limits"]}>
        {number("maxCallSeconds", "Longest call, seconds", 300)}
        {number("callsPerMinute", "Calls a minute", 10)}
        {number("callsPerDay", "Calls in 24 hours", 100)}
      </div>
    </FormDialog>
  );
}

const linesOf = (text = ""): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const contentOf = (values: Record<string, string>) => ({
  name: values["name"]!.trim(),
  address: values["address"]!.trim(),
  callerId: values["callerId"]!.trim(),
  allowedNumbers: linesOf(values["allowedNumbers"]),
  maxCallSeconds: Number(values["maxCallSeconds"]),
  callsPerMinute: Number(values["callsPerMinute"]),
  callsPerDay: Number(values["callsPerDay"]),
});

function credentialOf({ user = "", password = "" }: Record<string, string>) {
  return user.trim() === "" && password === "" ? undefined : { user: user.trim(), password };
}

function numbersErrorOf({ fields }: FormErrors): string | undefined {
  const [path, message] = Object.entries(fields).find(([name]) => name.startsWith("allowedNumbers")) ?? [];
  const entry = path?.split(".")[1];
  return entry === undefined ? message : `Entry ${Number(entry) + 1}: ${message}`;
}
