/** The line of another command opens the archive as this one does, also from another directory. */
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import {
  API_KEY,
  asConfigured,
  NextStep,
  onArchive,
  onOut,
  step,
} from '../../../src/base/next-step.js';
import { placeOf } from '../../../src/cli/command-place.js';
import type { SettingSources } from '../../../src/config/resolve-settings.js';

const sources = (path: string, isFound: boolean, flags: Record<string, unknown> = {}) => ({
  flags,
  environment: {},
  file: { path, isFound, values: { 's3-endpoint': 'https://store.example' } },
});
const noFile = { flags: {}, environment: {}, file: undefined };

function lineFor(archive: string, given: SettingSources): string {
  return step`${onArchive('verify')}`.text(placeOf(given, archive));
}

it('names the configuration that was named, or that was found where the archive is a bucket', () => {
  expect(lineFor('s3://b/archive', noFile)).toBe('jobvault verify s3://b/archive');
  expect(lineFor('./my archive', sources('jobvault.config.yaml', true))).toBe(
    `jobvault verify '${resolve('my archive')}'`,
  );
  expect(lineFor('s3://b/archive', sources('/etc/our store.yaml', false))).toBe(
    "jobvault verify s3://b/archive --config '/etc/our store.yaml'",
  );
  const found = resolve('jobvault.config.yaml');
  expect(lineFor('s3://b/archive', sources('jobvault.config.yaml', true))).toBe(
    `jobvault verify s3://b/archive --config ${found}`,
  );
  expect(lineFor('archive', noFile)).toBe(`jobvault verify ${resolve('archive')}`);
  expect(lineFor('./archive', sources('own.yaml', false))).toBe(
    `jobvault verify ${resolve('archive')} --config ${resolve('own.yaml')}`,
  );
});

it('names what flags and variables say of the store of a bucket', () => {
  const flags = { 's3-endpoint': 'https://store.example' };
  const environment = { JOBVAULT_S3_REGION: 'eu-1', JOBVAULT_S3_FORCE_PATH_STYLE: 'true' };
  const given = { ...noFile, flags, environment };
  expect(lineFor('s3://b/archive', given)).toBe(
    'jobvault verify s3://b/archive --s3-endpoint https://store.example --s3-region eu-1 --s3-force-path-style',
  );
  expect(lineFor('/archive', given)).toBe('jobvault verify /archive');
});

it('completes each command of a next step by how it gets its archive', () => {
  const next = step`${onArchive('gap accept', '--reason', "It's lost")}; ${onOut('doctor')} tries it. ${asConfigured('export', '--retry-gaps')} reads ${2}`;
  const given = sources('/e.yaml', false, { archive: 's3://b/a' });
  expect(next.text(placeOf(given))).toBe(
    String.raw`jobvault gap accept s3://b/a --config /e.yaml --reason 'It'\''s lost'; jobvault doctor --out s3://b/a --config /e.yaml tries it. jobvault export --config /e.yaml --retry-gaps reads 2`,
  );
  expect(next.text(placeOf(noFile))).toBe(
    String.raw`jobvault gap accept ARCHIVE --reason 'It'\''s lost'; jobvault doctor --out ARCHIVE tries it. jobvault export --retry-gaps reads 2`,
  );
});

it('keeps the commands of a next step as values, and is a text in JSON', () => {
  const next = new NextStep(['first ', step`${onArchive('verify', '--repair')}, then wait`]);
  expect(next.commands).toEqual([
    { words: 'verify', archive: 'argument', arguments: ['--repair'] },
  ]);
  expect(JSON.parse(JSON.stringify({ next }))).toEqual({
    next: 'first jobvault verify ARCHIVE --repair, then wait',
  });
});

it('names where the key in effect is from, where a next step means it', () => {
  const textFor = (given: SettingSources) => step`check ${API_KEY}.`.text(placeOf(given));
  expect(textFor(noFile)).toBe('check JOBVAULT_API_KEY or --api-key-file.');
  const environment = { JOBVAULT_API_KEY: 'a-key-of-tests' };
  expect(textFor({ ...noFile, environment })).toBe('check the key in JOBVAULT_API_KEY.');
  const file = { path: '/own.yaml', isFound: true, values: { 'api-key-file': '/etc/key' } };
  expect(textFor({ ...noFile, file })).toBe('check the key in /etc/key (/own.yaml: api-key-file).');
  const flags = { 'api-key-file': './key' };
  expect(textFor({ flags, environment, file })).toBe(
    'check the key in ./key (--api-key-file; JOBVAULT_API_KEY is set, too, and not used).',
  );
});
