import { SvcError } from "@svc/sdk";
import { useRouter } from "@tanstack/react-router";
import { Failure } from "../ui/failure.tsx";
import { NotHere } from "./not-here.tsx";

/** The page of an address whose first request failed. */
export function PageFailure({ error }: { error: unknown }) {
  const router = useRouter();
  if (error instanceof SvcError && error.status === 404) return <NotHere />;
  return (
    <main>
      <Failure error={error} again={() => router.invalidate()} />
    </main>
  );
}
