/** The line of another command opens the archive as this one does. */
import { expect, it } from 'vitest';
import { placeWords } from '../../../src/cli/found-config.js';

const sources = (path: string, isFound: boolean) => ({
  flags: {},
  environment: {},
  file: { path, isFound, values: {} },
});

it('names the configuration file that was named, and none that is found again', () => {
  expect(placeWords('s3://b/archive', { ...sources('', true), file: undefined })).toBe(
    's3://b/archive',
  );
  expect(placeWords('./my archive', sources('jobvault.config.yaml', true))).toBe("'./my archive'");
  expect(placeWords('s3://b/archive', sources('/etc/our store.yaml', false))).toBe(
    "s3://b/archive --config '/etc/our store.yaml'",
  );
});
