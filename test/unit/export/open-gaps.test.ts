/** Gaps that the log has and a run has not met. */
import { expect, it } from 'vitest';
import { emptySummary } from '../../../src/export/export-summary.js';
import { wholeGap, type Gap } from '../../../src/export/jobs/gap.js';
import { foundElsewhere } from '../../../src/export/open-gaps.js';
import { draft, makeArchive, session, userEntry } from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

it('the gap of a list of conversations is not that of the datasets, which a run asks of a user', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const failed = userEntry('ann', { complete: false, gaps: 1, error: 'it answered 500' });
  await archive.log.append(draft({ users: [failed], sessions: [session('ann', 's')] }));
  const datasets: Gap = {
    ...{ user: 'ann', session: null, dataset: null },
    ...{ ...wholeGap('failed', 'the datasets'), kind: 'DATASET' },
  };
  const summary = { ...emptySummary('archive', 'run'), gaps: [datasets] };
  const { gaps } = await foundElsewhere(archive, summary, { settings: {} });
  expect(gaps).toMatchObject([{ user: 'ann', session: null, reason: 'it answered 500' }]);
});

it('a list that lacks a session of which the run has told a gap is not left', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const listed = userEntry('ann', { listed: 2, total_items: 2 });
  const { number } = await archive.log.append(
    draft({ users: [listed], sessions: [session('ann', 's')] }),
  );
  const failed: Gap = { user: 'ann', session: 'new', ...wholeGap('failed', 'it answered 403') };
  const summary = (...gaps: Gap[]) => ({
    ...emptySummary('archive', 'run'),
    commits: [number],
    gaps,
  });
  const found = (...gaps: Gap[]) => foundElsewhere(archive, summary(...gaps), { settings: {} });
  expect(await found()).toMatchObject({ gaps: [], left: 1 });
  expect(await found(failed)).toMatchObject({ gaps: [], left: 0 });
});
