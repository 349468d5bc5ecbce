import { Link, useNavigate } from "@tanstack/react-router";
import { Card } from "../ui/card.tsx";
import { DiffView } from "../ui/diff-view.tsx";
import { inputClass } from "../ui/field.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./versions-card.module.css";

type ShownVersion = { version: number; createdAt: string | null; lines: readonly string[] };

type VersionsCardProps = {
  /** Newest first. */
  versions: readonly ShownVersion[];
  /** Versions that the address selects; undefined if it selects none. */
  from: number | undefined;
  to: number | undefined;
};

export function VersionsCard({ versions, from, to }: VersionsCardProps) {
  const navigate = useNavigate();
  const newest = versions[0]?.version ?? 1;
  const pair = pairOf(
    versions.map(({ version }) => version),
    from,
    to,
  );
  const textOf = (wanted: number) => versions.find(({ version }) => version === wanted)?.lines.join("\n") ?? "";
  const choose = (next: { from: number; to: number }) =>
    void navigate({ to: ".", search: (search) => ({ ...search, ...next }), replace: true, resetScroll: false });
  return (
    <>
      <Card title="Versions" action={<span className={styles["note"]}>frozen when saved</span>} flush>
        <ul className={styles["versions"]}>
          {versions.map(({ version, createdAt }) => (
            <li key={version}>
              <Link
                to="."
                search={(search: Record<string, unknown>) => ({
                  ...search,
                  ...(version === newest && newest > 1
                    ? { from: newest - 1, to: newest }
                    : { from: version, to: newest }),
                })}
                replace
                resetScroll={false}
                aria-current={pair?.from === version ? "true" : undefined}
                className={styles["version"]}
              >
                <b>v{version}</b>
                <span>
                  {version === newest ? "current" : pair?.from === version ? "compared" : version === 1 ? "first" : ""}
                </span>
                {createdAt !== null && <Time at={createdAt} />}
              </Link>
            </li>
          ))}
        </ul>
      </Card>
      {pair !== undefined && (
        <Card
          flush
          title="Difference"
          action={
            <span className={styles["pair"]}>
              {(["from", "to"] as const).map((end) => (
                <label key={end}>
                  {end}
                  <select
                    className={inputClass}
                    value={pair[end]}
                    onChange={({ target }) => choose({ ...pair, [end]: Number(target.value) })}
                  >
                    {versions.map(({ version }) => (
                      <option key={version} value={version}>
                        version {version}
                      </option>
                    ))}
                  </select>
                </label>
              ))}
            </span>
          }
        >
          <DiffView before={textOf(pair.from)} after={textOf(pair.to)} />
        </Card>
      )}
    </>
  );
}

type VersionPair = { from: number; to: number };

/**
 * Returns the two versions that the page compares: those of the address if they exist, else the newest version and the one before.
 */
export function pairOf(versions: readonly number[], from?: number, to?: number): VersionPair | undefined {
  const [newest, before] = versions;
  if (newest === undefined || before === undefined) return undefined;
  const existing = (version: number | undefined) => versions.find((one) => one === version);
  const end = existing(to) ?? newest;
  return { from: existing(from) ?? versions.find((one) => one < end) ?? before, to: end };
}
