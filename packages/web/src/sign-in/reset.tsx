import { useMutation } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { clientOf } from "../client.ts";
import { queries } from "../queries.ts";
import { buttonClass } from "../ui/button.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { SignInLayout, SignInForm, SignInNote, NewPasswordField } from "./layout.tsx";
import styles from "./layout.module.css";
import { forgetSignIn } from "../shell/signed-in-before.ts";

const route = getRouteApi("/reset/$token");

/** Sets a new password with a token. */
export function Reset() {
  const { token } = route.useParams();
  const set = useMutation({
    mutationFn: (password: string) => clientOf().accounts.resetPassword({ token, new_password: password }),
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
        lede="All your sessions have ended. Sign in with the new password."
      >
        <div className={styles["stack"]}>
          <Link to="/sign-in" className={buttonClass("primary")}>
            Sign in
          </Link>
        </div>
      </SignInLayout>
    );
  return (
    <SignInLayout title="Choose a new password" lede="All your sessions end. Your API keys keep working.">
      <SignInForm
        errors={errors}
        busy={set.isPending}
        submit="Set the password"
        onSubmit={({ new_password: password = "" }) => set.mutate(password)}
      >
        <NewPasswordField label="New password" name="new_password" autoFocus error={errors.fields["new_password"]} />
      </SignInForm>
      {errors.form !== undefined && (
        <SignInNote>
          <Link to="/forgot-password">Ask for another link</Link>
        </SignInNote>
      )}
    </SignInLayout>
  );
}
