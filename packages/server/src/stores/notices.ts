/** Things that processes follow. A notice of a topic names one of them by its id. */
export type Topic =
  | "run"
  | "canceled_run"
  | "imports"
  | "setup"
  | "conversations"
  | "relayed_request"
  | "answered_request";

/** Receives the id of a thing that has changed; undefined when any thing of the topic may have changed. */
export type Listener = (id: string | undefined) => void;

/**
 * Reports changes to all processes on one store. A notice only wakes: its listener reads the store again, because notices to
 * other processes can get lost.
 */
export type Notices = {
  /** Calls the listeners of this process, and soon those of all other processes. Call it after the commit. */
  send: (topic: Topic, id: string) => void;
  listen: (topic: Topic, listener: Listener) => void;
  close: () => Promise<void>;
};

type Listeners = Pick<Notices, "listen"> & {
  call: (topic: Topic, id: string) => void;
  /** Says to every listener that anything may have changed. */
  callAll: () => void;
};

export function createListeners(): Listeners {
  const listeners = new Map<Topic, Listener[]>();
  return {
    listen(topic, listener) {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    call(topic, id) {
      for (const listener of listeners.get(topic) ?? []) listener(id);
    },
    callAll() {
      for (const listener of [...listeners.values()].flat()) listener(undefined);
    },
  };
}

/** Creates the notices of a store with one process. */
export function createLocalNotices(): Notices {
  const { listen, call } = createListeners();
  return { send: call, listen, close: () => Promise.resolve() };
}
