import { idOf } from "../look-up.ts";
import { Refusal } from "../refusal.ts";
import type { Session } from "../session/session.ts";
import { resolveTarget, type TargetFlags } from "../session/target.ts";

/**
 * Returns the key with which the agents' processes send spans. Prefers the key of the profile that can only send spans. Throws when
 * the key belongs to another project than the run, because the service would store the spans in that project.
 */
export async function keyOfAgents(session: Session, flags: TargetFlags): Promise<string | undefined> {
  const { apiKey, keyProject, keyFrom } = await resolveTarget(flags, { key: "ingest" });
  if (keyProject === undefined || session.projectId === undefined || session.projectId === keyProject) return apiKey;
  if ((await idOf(session, "project", session.projectId)) === keyProject) return apiKey;
  throw new Refusal(
    "not_permitted",
    `The key for spans in ${keyFrom} is of another project. Run \`svc login --project "${session.projectId}" --profile NAME\` for a profile of this project, or set SVC_API_KEY to a key of it with the permissions test and ingest.`,
  );
}
