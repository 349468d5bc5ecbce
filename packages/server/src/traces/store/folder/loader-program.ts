import { startOf } from "../../../assets.ts";
import { prepareThread } from "../../../base/threads/call-thread.ts";

export const loaderProgram = () => startOf("loader-thread");

/** The thread loads its code and the database's library while the service loads its own code. */
export const prepareLoader = (): void => prepareThread(loaderProgram());
