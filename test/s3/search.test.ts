/** A search of an archive in a bucket, and a pack of what it finds: from the command line and the library. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openArchive } from '../../src/index.js';
import { cliJson } from '../support/programs/cli-in-process.js';
import { handOver } from '../support/rigs/evidence-rig.js';
import { onS3 } from '../support/base/place.js';
import { hasS3 } from '../support/store/s3-server.js';
import { SearchRig } from '../support/rigs/search-rig.js';

onS3();

it.skipIf(!hasS3)('finds in a bucket what it finds on a disk', async () => {
  await using people = await SearchRig.start();
  const [job] = people.talk('ada', 's', 'S', [{ question: '売上 of Zürich' }, { question: 'no' }]);
  await people.rig.export();
  const found = { searched: 2, matches: 1, hits: [{ job_id: job }] };
  expect(await cliJson(['search', people.rig.out, 'zurich 売上'])).toMatchObject(found);
  await using archive = await openArchive(people.rig.out);
  expect(await archive.search('zurich')).toMatchObject(found);
  const { summary } = await handOver(people.rig, '--match', 'zurich');
  const searched = { jobs: 1, search: { searched: 2, matches: 1 } };
  expect(summary()).toMatchObject(searched);
  const place = (name: string): string => join(people.rig.directory, name);
  expect(await archive.evidence(place('pack'), { match: 'zurich' })).toMatchObject(searched);
  const words = ['report', people.rig.out, '--out', place('page'), '--match', 'zurich'];
  expect(await cliJson(words)).toMatchObject(searched);
  expect(await archive.report(place('other'), { match: 'zurich' })).toMatchObject(searched);
});
