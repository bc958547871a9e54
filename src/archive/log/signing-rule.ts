/** Checks that a run may sign as it would: the first signature binds every later commit (I-13 in FORMAT.md), so it is never made without a word. */
import type { Commit } from './commit.js';
import { SigningKeyError, SigningStartError } from '../archive-errors.js';
import type { CommitSigner } from './signing.js';

export class SigningRule {
  /** The newest signed commit that was read. */
  #newest: { readonly number: number; readonly signedBy: string } | undefined;
  readonly #signer: CommitSigner | undefined;
  /** The place of the archive, for messages. */
  readonly #location: string;

  constructor(signer: CommitSigner | undefined, location: string) {
    this.#signer = signer;
    this.#location = location;
  }

  /** Notes who signed a commit. Commits may come in any order. */
  learn({ number, signed_by: signedBy }: Pick<Commit, 'number' | 'signed_by'>): void {
    if (signedBy === null || number < (this.#newest?.number ?? 0)) return;
    this.#newest = { number, signedBy };
  }

  /** @throws {SigningStartError} a key is given, and may not begin to sign */
  async assertMayBegin(): Promise<void> {
    if (!this.#signer) return;
    const { mayStart = false } = this.#signer;
    if (mayStart === true) return;
    if (mayStart === false) throw new SigningStartError(this.#location, false);
    if (!(await mayStart())) throw new SigningStartError(this.#location, true);
  }

  /** @throws {SigningKeyError} `verify` would refuse the commit of this run @throws {SigningStartError} as `assertMayBegin` */
  async assertMayAppend(): Promise<void> {
    if (!this.#newest) {
      await this.assertMayBegin();
      return;
    }
    const { number, signedBy } = this.#newest;
    if (!this.#signer) {
      throw new SigningKeyError(
        `commit ${number} of ${this.#location} is signed, and this run has no key: pass --signing-key`,
      );
    }
    const { publicKeyId, mayReplaceKey = false } = this.#signer;
    if (publicKeyId === signedBy || mayReplaceKey) return;
    throw new SigningKeyError(
      `--signing-key has another key (SHA-256 ${publicKeyId}) than the one that signed commit ${number} of ${this.#location} (${signedBy}): pass that key, or change the key with export --change-signing-key`,
    );
  }
}
