/** The archive for assistants, and a pseudonymised copy, in buckets. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openArchive } from '../../src/library/operations.js';
import { onS3 } from '../support/base/place.js';
import { Assistant } from '../support/programs/assistant.js';
import { SearchRig } from '../support/rigs/search-rig.js';
import { hasS3 } from '../support/store/s3-server.js';

onS3();
describe.skipIf(!hasS3)('an archive in a bucket', () => {
  it('answers an assistant, and so does a pseudonymised copy beside it', async () => {
    await using people = await SearchRig.start();
    people.talk('ada', 's-1', 'Revenue of Berlin', [{ question: 'What is the revenue?' }]);
    await people.rig.export();
    const { out, environment } = people.rig.place;
    const asked = await ask(out, environment);
    expect(asked).toMatchObject({ hits: [{ user_id: 'ada' }], rows: [{ n: 1 }], status: 'intact' });
    await using archive = await openArchive(out);
    await archive.pseudonymiseTo(`${out}-for-analysts`, { key: randomBytes(32) });
    const copied = await ask(`${out}-for-analysts`, environment);
    expect(copied).toMatchObject({ hits: [], rows: [{ n: 1 }], status: 'intact' });
  });
});

async function ask(archive: string, environment: Readonly<Record<string, string>>) {
  await using assistant = await Assistant.start(archive, environment);
  const found = await assistant.ask('search', { words: 'revenue' });
  const counted = await assistant.ask('query', { sql: 'SELECT count(*) AS n FROM current_jobs' });
  const verified = await assistant.ask('verify');
  return { ...found.data, ...counted.data, ...verified.data } as object;
}
