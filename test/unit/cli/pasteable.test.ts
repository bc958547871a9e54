/** The line of another command opens the archive as this one does, also from another directory. */
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { keyPlace, pasteable, placeWords } from '../../../src/cli/pasteable.js';

const sources = (path: string, isFound: boolean, flags: Record<string, unknown> = {}) => ({
  flags,
  environment: {},
  file: { path, isFound, values: { 's3-endpoint': 'https://store.example' } },
});
const noFile = { flags: {}, environment: {}, file: undefined };

it('names the configuration that was named, or that was found where the archive is a bucket', () => {
  expect(placeWords('s3://b/archive', noFile)).toBe('s3://b/archive');
  expect(placeWords('./my archive', sources('jobvault.config.yaml', true))).toBe("'./my archive'");
  expect(placeWords('s3://b/archive', sources('/etc/our store.yaml', false))).toBe(
    "s3://b/archive --config '/etc/our store.yaml'",
  );
  const found = resolve('jobvault.config.yaml');
  expect(placeWords('s3://b/archive', sources('jobvault.config.yaml', true))).toBe(
    `s3://b/archive --config ${found}`,
  );
  expect(placeWords('archive', noFile)).toBe('./archive');
  expect(placeWords('./archive', sources('own.yaml', false))).toBe(
    `./archive --config ${resolve('own.yaml')}`,
  );
});

it('names what flags and variables say of the store of a bucket', () => {
  const flags = { 's3-endpoint': 'https://store.example' };
  const environment = { JOBVAULT_S3_REGION: 'eu-1', JOBVAULT_S3_FORCE_PATH_STYLE: 'true' };
  expect(placeWords('s3://b/archive', { ...noFile, flags, environment })).toBe(
    's3://b/archive --s3-endpoint https://store.example --s3-region eu-1 --s3-force-path-style',
  );
  expect(placeWords('./archive', { ...noFile, flags, environment })).toBe('./archive');
});

it('completes the commands of a text of this program, each once', () => {
  const text =
    'jobvault gap list ARCHIVE; jobvault doctor --out ARCHIVE, jobvault doctor tries it. jobvault export --retry-gaps, with the same; jobvault status ./other, jobvault erase';
  const given = sources('/e.yaml', false, { archive: 's3://b/a' });
  expect(pasteable(text, given)).toBe(
    'jobvault gap list s3://b/a --config /e.yaml; jobvault doctor --out s3://b/a --config /e.yaml, jobvault doctor --config /e.yaml tries it. jobvault export --config /e.yaml --retry-gaps, with the same; jobvault status ./other, jobvault erase',
  );
  expect(pasteable(text, noFile)).toBe(text);
  expect(
    pasteable('jobvault verify ARCHIVE shows it', { ...noFile, flags: { archive: 'a b' } }),
  ).toBe("jobvault verify 'a b' shows it");
});

it('names where the key in effect is from, where a next step means it', () => {
  const text = 'check JOBVAULT_API_KEY or --api-key-file; jobvault doctor tries it.';
  expect(pasteable(text, noFile)).toBe(text);
  const environment = { JOBVAULT_API_KEY: 'a-key-of-tests' };
  expect(pasteable(text, { ...noFile, environment })).toBe(
    'check the key in JOBVAULT_API_KEY; jobvault doctor tries it.',
  );
  const file = { path: 'own.yaml', isFound: true, values: { 'api-key-file': '/etc/key' } };
  expect(keyPlace({ ...noFile, file })).toBe('the key in /etc/key (own.yaml: api-key-file)');
  const flags = { 'api-key-file': './key' };
  expect(keyPlace({ flags, environment, file })).toBe(
    'the key in ./key (--api-key-file; JOBVAULT_API_KEY is set, too, and not used)',
  );
});
