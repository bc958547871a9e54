import { expect, it } from 'vitest';
import { FileSettler } from '../../../src/artifacts/file-settler.js';
import { LiveHistory } from '../../../src/artifacts/live-history.js';
import { fileReferences } from '../../../src/flatten/file-references.js';
import { systemClock } from '../../../src/base/runtime.js';
import { jobWith, placed, table } from '../../support/rigs/job-rig.js';
import { STORED } from '../../support/tables/flattened-job.js';

function settlerOf(status: 'stored' | 'missing' = 'stored') {
  const fetched: string[] = [];
  const fetch = ({ location }: { readonly location: { readonly url: string } }) => {
    fetched.push(location.url);
    return Promise.resolve({ status, reason: 'gone' } as never);
  };
  const settler = new FileSettler({
    fetcher: { fetch } as never,
    accept: () => Promise.resolve(STORED.stored!),
    history: new LiveHistory(undefined as never),
    clock: systemClock,
    signal: undefined,
  });
  const settle = (...urls: readonly string[]) => {
    const item = placed(jobWith(...urls.map(table)));
    return settler.settle(item, fileReferences(item.record));
  };
  return { settle, fetched };
}

const urls = (count: number) =>
  Array.from({ length: count }, (_, nth) => `https://files.example/${nth}.csv`);

it('a URL is downloaded once, whether its file is there or under way', async () => {
  const { settle, fetched } = settlerOf();
  const [url = ''] = urls(1);
  await Promise.all([settle(url, url), settle(url)]);
  await settle(url);
  expect(fetched).toEqual([url]);
});

it('a lost file is asked for again', async () => {
  const { settle, fetched } = settlerOf('missing');
  const [url = ''] = urls(1);
  await settle(url);
  await settle(url);
  expect(fetched).toEqual([url, url]);
});

it('a URL is forgotten once 4,000 others came since', async () => {
  const { settle, fetched } = settlerOf();
  const [first = '', ...others] = urls(4001);
  await settle(first);
  // of one job as many are fetched as it may have
  for (let from = 0; from < 3000; from += 1000) await settle(...others.slice(from, from + 1000));
  await settle(...others.slice(3000, 3999));
  await settle(first);
  expect(fetched).toHaveLength(4000);
  await settle(...others.slice(3999));
  await settle(first);
  expect(fetched).toHaveLength(4002);
});
