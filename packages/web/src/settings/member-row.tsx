import { Ellipsis, KeyRound, UserMinus } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { inputClass } from "../ui/field.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { type Member, type Role, ROLES } from "./roles.ts";
import styles from "./settings.module.css";

type MemberRowProps = {
  member: Member;
  isYou: boolean;
  busy: boolean;
  onRole: (role: Role) => void;
  onPassword: () => void;
  onRemove: () => void;
};

/** A member with the role as a choice, and a menu of further actions. */
export const MemberRow = ({ member, isYou, busy, onRole, onPassword, onRemove }: MemberRowProps) => (
  <tr>
    <td>
      <div className={styles["person"]}>
        <div className={styles["name"]}>
          <UserText inline text={member.name} /> {isYou && <span className={styles["you"]}>(you)</span>}
        </div>
        <div className={styles["muted"]}>{member.email}</div>
      </div>
    </td>
    <td>
      <select
        className={classes(inputClass, styles["role"])}
        aria-label={`Role of ${member.name}`}
        value={member.role}
        disabled={busy}
        onChange={({ target }) => onRole(target.value as Role)}
      >
        {ROLES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </td>
    <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
      <Time at={member.createdAt} absolute />
    </td>
    <td className={tables["num"]}>
      <Menu
        trigger={
          <Button look="quiet" small iconOnly aria-label={`Actions for ${member.name}`}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={KeyRound} onSelect={onPassword}>
          Create a password link
        </MenuItem>
        <MenuItem icon={UserMinus} danger onSelect={onRemove}>
          {isYou ? "Leave the organization" : "Remove from the organization"}
        </MenuItem>
      </Menu>
    </td>
  </tr>
);
