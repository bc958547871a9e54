/** A first export that is refused leaves nothing where the archive would have been. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SigningStartError } from '../../../src/archive/archive-errors.js';
import { ed25519Signer } from '../../../src/archive/log/signing.js';
import { ed25519Pair } from '../../support/base/signing-keys.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 1 });
});
afterEach(() => rig[Symbol.asyncDispose]());

it('for a signing key that may not make the first signature', async () => {
  const signer = ed25519Signer(ed25519Pair().privateKey);
  await expect(rig.export({ signer })).rejects.toThrow(SigningStartError);
  expect(await rig.files('')).toEqual([]);
  await rig.export();
  expect((await rig.verify()).problems).toEqual([]);
});

it('for an API key that the service refuses', async () => {
  await expect(rig.run({ apiKey: 'another-key' })).rejects.toThrow('the API key is not accepted');
  expect(await rig.files('')).toEqual([]);
});
