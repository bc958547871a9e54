/** What a caller may catch: every error that the documents promise is exported by its name. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import * as library from '../../../src/index.js';
import * as service from '../../../src/service.js';

const SRC = fileURLToPath(new URL('../../../src', import.meta.url));

/** Caught on the way: a caller gets a gap, a number in the summary, or another error. */
const INTERNAL = [
  'BudgetSpentError',
  'FetcherClosedError',
  'GivenFileError', // of the command line
  'OtherArchiveError',
  'RefusedTargetError',
  'TransferError',
  'UnknownOutcomeError', // of the commands that delete
  'UsersListError', // of the command; the summary has `doubtful_list`
  'UsersLostError', // kept with the run, on the queue
];

async function errorClasses() {
  const files = await readdir(SRC, { recursive: true });
  const sources = files.filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(sources.map((file) => readFile(join(SRC, file), 'utf8')));
  const classes = texts.flatMap((text) => [
    ...text.matchAll(/^export (?:abstract )?class (\w+Error) extends \w+Error/gm),
  ]);
  return classes.map(([, name = '']) => name);
}

/** Named by `@throws` in the modules of which index.ts exports something. */
async function promised(entry: string) {
  const index = await readFile(join(SRC, entry), 'utf8');
  const names = new Set<string>();
  for (const [, from = ''] of index.matchAll(/ from '(.+)\.js';/g)) {
    const text = await readFile(join(SRC, dirname(entry), `${from}.ts`), 'utf8');
    for (const [, list = ''] of text.matchAll(/@throws \{([\w |]+)\}/g)) {
      for (const name of list.split('|')) names.add(name.trim());
    }
  }
  return [...names];
}

it('every error is exported by jobvault or jobvault/service, or never reaches a caller', async () => {
  const exported = [...Object.keys(library), ...Object.keys(service)];
  const classes = await errorClasses();
  expect(classes.length).toBeGreaterThan(35);
  expect(classes).toEqual(expect.arrayContaining(INTERNAL));
  const hidden = classes.filter((name) => !exported.includes(name));
  expect(hidden.toSorted()).toEqual(INTERNAL);
});

it('every error that the documentation of an import names is imported from the same place', async () => {
  const ofLibrary = await promised('index.ts');
  expect(ofLibrary).toEqual(expect.arrayContaining(['UsageError', 'IntegrityError']));
  expect(Object.keys(library)).toEqual(expect.arrayContaining(ofLibrary));
});

it('every error of the service is one that the library exports, or is derived from it', () => {
  const errors = Object.entries(service).filter(([name]) => name.endsWith('Error'));
  expect(errors.length).toBeGreaterThan(15);
  for (const [name, one] of errors) {
    const base = Object.getPrototypeOf(one) as unknown;
    const isKnown = [library.ServiceError, library.UsageError, library.JobvaultError].some(
      (known) => one === known || base === known,
    );
    expect(isKnown, name).toBe(true);
  }
});
