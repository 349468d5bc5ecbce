import type { BlobStore } from "../stores/blobs.ts";
import type { ConversationTexts } from "../traces/erasure/open.ts";
import type { RecordingRow, RecordingStore } from "./store.ts";

/** Creates the erasure of recordings. A row goes after its file, so that an interrupted erasure finds the file again. */
export function createRecordingErasure(store: RecordingStore, blobs: BlobStore): ConversationTexts {
  async function erase(rows: readonly RecordingRow[]): Promise<void> {
    await blobs.remove(rows.flatMap(({ blob }) => blob ?? []));
    await store.delete(rows);
  }

  return {
    eraseConversations: async (projectId, names) => erase(await store.listNamed(projectId, names)),
    eraseBefore: async (time) => erase(await store.listBefore(time)),
  };
}
