import { ALL_NAMES, type MemberName, NUMBERS, SNAKE_CASE } from "./json-names.ts";
import { ABSENT, type JsonTape } from "./json-tape.ts";

const NO_SLOT = -1;

/** The members of one object at a time, by name; of a repeated member the last counts. */
export class Members<Name extends MemberName> {
  /** The slot of each name. */
  readonly slots: Readonly<Record<Name, number>>;
  /** The slot of each number of a name. */
  readonly #slotOf = new Int8Array(ALL_NAMES.length).fill(NO_SLOT);
  /** The value of each slot; the values of names in snake_case follow. */
  readonly #values: Int32Array;
  readonly #count: number;
  #tape!: JsonTape;

  constructor(...names: readonly Name[]) {
    this.#count = names.length;
    this.slots = Object.fromEntries(names.map((name, slot) => [name, slot])) as Record<Name, number>;
    this.#values = new Int32Array(2 * names.length);
    for (const [slot, name] of names.entries()) {
      this.#slotOf[NUMBERS[name]] = slot;
      this.#slotOf[NUMBERS[name] + SNAKE_CASE] = slot + names.length;
    }
  }

  /** Finds the members of an object; an absent object has none. */
  read(tape: JsonTape, object: number): void {
    this.#tape = tape;
    const values = this.#values;
    for (let slot = 0; slot < values.length; slot++) values[slot] = ABSENT;
    if (object === ABSENT) return;
    const end = tape.end(object);
    for (let member = object + 3; member < end; member = tape.after(member) + 1) {
      const name = tape.name(member);
      const slot = name < 0 ? NO_SLOT : this.#slotOf[name]!;
      if (slot !== NO_SLOT) values[slot] = member;
    }
  }

  /** Returns a member's value; the one with the name in snake_case when the other is absent or null. */
  value(slot: number): number {
    const value = this.#values[slot]!;
    return this.#tape.isNull(value) ? this.#values[slot + this.#count]! : value;
  }
}
