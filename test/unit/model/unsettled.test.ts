/** What a pack says of answers that may not be the last ones: each sentence whole. */
import { expect, it } from 'vitest';
import { UnsettledAnswers } from '../../../src/model/unsettled.js';

type Asked = Parameters<UnsettledAnswers['add']>[0];

const UNKNOWN: Asked = { createdAt: null, createdAfter: null, createdBefore: null };
const AT = { ...UNKNOWN, createdAt: '2026-05-17T00:24:50.304000Z' };
const AFTER = { ...UNKNOWN, createdAfter: '2026-05-17T10:00:00.000000Z' };
const BEFORE = { ...UNKNOWN, createdBefore: '2026-05-18T09:00:00.000000Z' };
const BETWEEN = {
  ...UNKNOWN,
  createdAfter: '2026-05-16T10:00:00.000000Z',
  createdBefore: '2026-05-18T10:00:00.000000Z',
};
const ONE =
  '1 ANSWER MAY NOT BE THE LAST ONE: when it was read last, nothing showed yet that it had stopped changing. ';
const NAMES_IT =
  'items.csv names it (status "unsettled"). A pack made after a later export can tell.';
const MORE = (count: number) =>
  `${count} ANSWERS MAY NOT BE THE LAST ONES: when they were read last, nothing showed yet that they had stopped changing. `;
const NAMES_THEM =
  'items.csv names them (status "unsettled"). A pack made after a later export can tell.';

it.each<[string, Asked[], string]>([
  ['of unknown time', [UNKNOWN], `${ONE}Nothing tells when it was asked. ${NAMES_IT}`],
  ['with a time', [AT], `${ONE}It was asked 2026-05-17 00:24 UTC. ${NAMES_IT}`],
  [
    'between two others',
    [BETWEEN],
    `${ONE}It was asked between 2026-05-16 10:00 UTC and 2026-05-18 10:00 UTC. ${NAMES_IT}`,
  ],
  [
    'with a time and between two others',
    [AT, BETWEEN],
    `${MORE(2)}They were asked between 2026-05-16 10:00 UTC and 2026-05-18 10:00 UTC. ${NAMES_THEM}`,
  ],
  [
    'after others',
    [AT, AFTER],
    `${MORE(2)}Asked: 1 at 2026-05-17 00:24 UTC; 1 after 2026-05-17 10:00 UTC. ${NAMES_THEM}`,
  ],
  [
    'some of unknown time',
    [BEFORE, UNKNOWN, BETWEEN],
    `${MORE(3)}Asked: 1 between 2026-05-16 10:00 UTC and 2026-05-18 10:00 UTC; 1 before 2026-05-18 09:00 UTC; 1 at a time that nothing tells. ${NAMES_THEM}`,
  ],
  [
    'all of unknown time',
    [UNKNOWN, UNKNOWN],
    `${MORE(2)}Nothing tells when they were asked. ${NAMES_THEM}`,
  ],
  [
    'with bounds on one side',
    [AFTER, AFTER, { ...AFTER, createdAfter: '2026-05-19T10:00:00.000000Z' }],
    `${MORE(3)}They were asked after 2026-05-17 10:00 UTC. ${NAMES_THEM}`,
  ],
])('tells of answers that may change when they were asked: %s', (_of, asked, text) => {
  const unsettled = new UnsettledAnswers();
  for (const one of asked) unsettled.add(one);
  expect([unsettled.count, unsettled.text]).toEqual([asked.length, text]);
});
