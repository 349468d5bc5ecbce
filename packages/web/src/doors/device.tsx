import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { clientOf } from "../client.ts";
import { TextField } from "../ui/field.tsx";
import { Failure } from "../ui/failure.tsx";
import { NO_ERRORS } from "../ui/form-errors.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { DeviceDecision } from "./device-decision.tsx";
import { DoorForm } from "./door-form.tsx";
import { Door } from "./door.tsx";
import styles from "./door.module.css";

const route = getRouteApi("/device");

/** Approves or denies a device by the code that it shows. */
export function Device() {
  const { user_code: code } = route.useSearch();
  const { session } = route.useLoaderData();
  const navigate = useNavigate();
  const open = (user_code: string | undefined) => void navigate({ to: "/device", search: { user_code } });
  if (code === undefined) return <CodeForm onCode={open} />;
  return <DeviceOfCode key={code} code={code} session={session} onOtherCode={() => open(undefined)} />;
}

const CodeForm = ({ onCode }: { onCode: (code: string) => void }) => (
  <Door title="Sign in a device" lede="Type the code that the device shows.">
    <DoorForm
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
    </DoorForm>
  </Door>
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
      <Door title="Sign in a device">
        <div className={styles["stack"]}>
          <Failure error={error} again={onOtherCode} />
        </div>
      </Door>
    );
  if (data === undefined)
    return (
      <Door title="Sign in a device">
        <Skeleton rows={4} />
      </Door>
    );
  return <DeviceDecision code={code} device={data} session={session} />;
}
