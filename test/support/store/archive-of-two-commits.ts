import { draft, makeArchive, session } from './archive-samples.js';
import { createMemoryStorage } from './memory-storage.js';

/** An archive with a session in each of its two commits. */
export async function archiveOfTwoCommits() {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  await archive.log.append(draft({ sessions: [session('u', 'a')] }));
  await archive.log.append(draft({ base: 1, sessions: [session('u', 'b')] }));
  return { archive, storage };
}
