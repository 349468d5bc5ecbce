import type { BlobStore } from "../../stores/blobs/blobs.ts";
import type { ConversationTexts } from "../../traces/erasure/open.ts";
import type { RecordingRow, RecordingStore } from "./store.ts";

/**
 * Creates the erasure of recordings. A row goes after its file, so that an interrupted erasure finds the file again. A recording
 * that moves into the bucket meanwhile keeps its row, and the next look finds its object.
 */
export function createRecordingErasure(store: RecordingStore, blobs: BlobStore): ConversationTexts {
  async function erase(list: () => Promise<readonly RecordingRow[]>): Promise<void> {
    for (let rows = await list(); rows.length > 0; rows = await list()) {
      await blobs.remove(rows.flatMap(({ blob }) => blob ?? []));
      await store.delete(rows);
    }
  }

  return {
    eraseConversations: (projectId, names) => erase(() => store.listNamed(projectId, names)),
    eraseBefore: (time) => erase(() => store.listBefore(time)),
  };
}
