/** Finds commits that belong to another archive than the first commit, or than jobvault.json, and a format that does not fit the log. */
import type { Commit } from '../log/commit.js';
import { identityDifference, REDACTED_FORMAT, type ArchiveIdentity } from '../identity.js';
import { commitPath, IDENTITY_PATH } from '../paths.js';
import type { Findings } from './findings.js';

export class IdentityCheck {
  #first: Commit | undefined;
  /** The first that tells of an erasure. */
  #erasure: Commit | undefined;
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Commits come in order. */
  check(commit: Commit): void {
    this.#first ??= commit;
    if (commit.erasure) this.#erasure ??= commit;
    const difference = identityDifference(commit.archive, this.#first.archive);
    if (difference === undefined) return;
    const detail = `belongs to another archive than commit ${this.#first.number}: ${difference}`;
    this.#findings.add({ path: commitPath(commit.number), problem: 'identity', detail });
  }

  /** @param identity of jobvault.json; undefined if that is missing or damaged */
  end(identity: ArchiveIdentity | undefined): void {
    if (!identity || !this.#first) return;
    const difference = identityDifference(identity, this.#first.archive);
    if (difference !== undefined) this.#add(`is not the identity of this log: ${difference}`);
    const { format } = identity;
    if (this.#erasure && format !== REDACTED_FORMAT) {
      const { number } = this.#erasure;
      this.#add(
        `has format ${format} instead of ${REDACTED_FORMAT}: commit ${number} is about an erasure`,
      );
    }
    if (!this.#erasure && format === REDACTED_FORMAT) this.#findings.note(IDENTITY_PATH, UNUSED);
  }

  #add(detail: string): void {
    this.#findings.add({ path: IDENTITY_PATH, problem: 'identity', detail });
  }
}

/** The format is changed before the receipt of an erasure is put. */
const UNUSED = `has format ${REDACTED_FORMAT}, and the log has no erasure: one was prepared and not begun, or somebody has changed the format`;
