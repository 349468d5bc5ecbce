import { useMutation } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { clientOf } from "../client.ts";
import { queries } from "../queries.ts";
import { buttonClass } from "../ui/button.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { SignInLayout, SignInForm, SignInNote, NewPasswordField } from "./layout.tsx";
import { RevokeKeys, revokedWords } from "../revoke-keys.tsx";
import styles from "./layout.module.css";
import { forgetSignIn } from "../shell/signed-in-before.ts";

const route = getRouteApi("/reset/$token");

export function Reset() {
  const { token } = route.useParams();
  const set = useMutation({
    mutationFn: ({ password, keys }: { password: string; keys: boolean }) =>
      clientOf().accounts.resetPassword({ token, new_password: password, revoke_keys: keys }),
    onSuccess: () => {
      queries.clear();
      forgetSignIn();
    },
  });
  const errors = set.error ? formErrorsOf(set.error, ["new_password"]) : NO_ERRORS;
  if (set.isSuccess)
    return (
      <SignInLayout
        title="Your password is changed"
        lede={`All your sessions have ended.${revokedWords(set.data.revoked_keys)} Sign in with the new password.`}
      >
        <div className={styles["stack"]}>
          <Link to="/sign-in" className={buttonClass("primary")}>
            Sign in
          </Link>
        </div>
      </SignInLayout>
    );
  return (
    <SignInLayout title="Choose a new password" lede="All your sessions end.">
      <SignInForm
        errors={errors}
        busy={set.isPending}
        submit="Set the password"
        onSubmit={({ new_password: password = "", keys }) => set.mutate({ password, keys: keys !== undefined })}
      >
        <NewPasswordField label="New password" name="new_password" autoFocus error={errors.fields["new_password"]} />
        <RevokeKeys name="keys" />
      </SignInForm>
      {errors.form !== undefined && (
        <SignInNote>
          <Link to="/forgot-password">Ask for another link</Link>
        </SignInNote>
      )}
    </SignInLayout>
  );
}
