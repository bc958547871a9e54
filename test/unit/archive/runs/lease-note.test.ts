import { expect, it } from 'vitest';
import { LeaseHeldError } from '../../../../src/archive/runs/lease-held-error.js';
import {
  decodeLeaseNote,
  encodeLeaseNote,
  type LeaseNote,
} from '../../../../src/archive/runs/lease-note.js';
import { RunAbandonedError } from '../../../../src/archive/archive-errors.js';
import { runOf } from '../../../support/store/archive-samples.js';

const note: LeaseNote = {
  run: runOf('A'),
  host: 'here',
  boot: 'b',
  pid: 7,
  started: '1',
  nonce: 'n',
  beat: 2,
};

it('reads a lease as it was written, one line of JSON', () => {
  const bytes = encodeLeaseNote(note);
  expect(Buffer.from(bytes).toString()).toBe(`${JSON.stringify(note)}\n`);
  expect(decodeLeaseNote(bytes)).toEqual(note);
});

it.each(Object.keys(note))('takes nothing without a valid %s for a lease', (field) => {
  for (const value of [undefined, null, true]) {
    const bytes = Buffer.from(JSON.stringify({ ...note, [field]: value }));
    expect(decodeLeaseNote(bytes)).toBeUndefined();
  }
});

it.each(['', '{"run":', '[]', 'null'])('takes %j for no lease', (text) => {
  expect(decodeLeaseNote(Buffer.from(text))).toBeUndefined();
});

it('says who is at work on what, as far as it is known', () => {
  expect(new LeaseHeldError('user ann', note)).toMatchObject({
    name: 'LeaseHeldError',
    code: 'ARCHIVE_LEASE_HELD',
    disposition: 'fatal',
    failure: 'locked',
    message: `another run (${note.run}, process 7 on here) is working on user ann`,
  });
  const { message } = new LeaseHeldError('user ann', undefined);
  expect(message).toBe('another run is working on user ann');
});

it('says which commit has abandoned a run', () => {
  expect(new RunAbandonedError(note.run, 4)).toMatchObject({
    name: 'RunAbandonedError',
    code: 'ARCHIVE_RUN_ABANDONED',
    disposition: 'fatal',
    failure: 'locked',
    message: `commit 4 has abandoned this run (${note.run}): another run found it dead`,
  });
});
