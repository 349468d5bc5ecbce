import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus, User, X } from "lucide-react";
import { usePlace } from "../../shell/place.ts";
import { personasQuery } from "../../personas/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import styles from "./personas-field.module.css";

type PersonasFieldProps = {
  personas: readonly string[];
  error: string | undefined;
  onChange: ((personas: string[]) => void) | undefined;
  /** Text for a test without personas. By default it names the project's default persona. */
  none?: string;
};

export function PersonasField({ personas, error, onChange, none }: PersonasFieldProps) {
  const place = usePlace();
  const { data = [] } = useQuery(personasQuery(place));
  const known = (reference: string) => data.find(({ id, name }) => id === reference || name === reference);
  const others = data.filter(({ id, name }) => !personas.includes(id) && !personas.includes(name));
  const standard = data.find(({ isDefault }) => isDefault);
  return (
    <section aria-labelledby="who-calls">
      <h3 id="who-calls">Who calls</h3>
      <div className={styles["chips"]}>
        {personas.map((reference) => {
          const persona = known(reference);
          const name = persona?.name ?? reference;
          return (
            <span key={reference} className={styles["chip"]}>
              <User size={13} aria-hidden />
              {persona ? (
                <Link
                  to="/o/$organizationId/p/$project/personas/$personaId"
                  params={{ ...place.params, personaId: persona.id }}
                >
                  <bdi>{name}</bdi>
                </Link>
              ) : (
                <bdi>{name}</bdi>
              )}
              {onChange && (
                <button
                  type="button"
                  aria-label={`Remove ${name}`}
                  onClick={() => onChange(personas.filter((one) => one !== reference))}
                >
                  <X size={12} aria-hidden />
                </button>
              )}
            </span>
          );
        })}
        {onChange && others.length > 0 && (
          <Menu
            trigger={
              <Button small>
                <Plus size={14} aria-hidden />
                Persona
              </Button>
            }
          >
            {others.map(({ id, name, source }) => (
              <MenuItem key={id} icon={User} onSelect={() => onChange([...personas, name])}>
                {name}
                {source === "shipped" && <span className={styles["note"]}>shipped</span>}
              </MenuItem>
            ))}
          </Menu>
        )}
        <span className={styles["note"]}>
          {personas.length > 0
            ? "Each calls once per iteration."
            : (none ?? `The project's default persona calls${standard === undefined ? "" : `: ${standard.name}`}.`)}
        </span>
      </div>
      {error !== undefined && (
        <p className={styles["error"]} role="alert">
          {error}
        </p>
      )}
    </section>
  );
}
