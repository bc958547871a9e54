/** Copies of an open archive: the place that becomes one is opened for the time of the copy. */
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import type { Storage } from '../storage/storage.js';
import type { CopyChoices, CopySummary } from '../rewrite/copy-archive.js';
import type {
  PseudonymiseChoices,
  PseudonymiseSummary,
} from '../rewrite/pseudonymise/pseudonymise-options.js';
import type { Undated } from '../archive/reading/chosen-jobs.js';
import { UsageError } from '../base/error.js';
import type { CallContext } from './call-context.js';
import { doneFor, type ForRequest } from './for-request.js';
import { type GivenChoice, packWork } from './request-scope.js';

/** @throws {UsageError} the target is no copy of this archive */
export async function copyTo(
  context: CallContext,
  target: string,
  choices: CopyChoices,
): Promise<CopySummary> {
  const { copyArchive } = await import('../rewrite/copy-archive.js');
  const { archive, signal } = context;
  return withTarget(context, target, choices, (storage) =>
    copyArchive(archive, storage, { ...choices, signal }),
  );
}

export type { PseudonymiseSummary };

/** Choices of a pseudonymised copy, which may be made for a request: then it has only what that is about. */
export interface PseudonymisedChoices extends PseudonymiseChoices {
  readonly forRequest?: ForRequest | undefined;
  /** With the period of the request: jobs of which nothing tells whether they are in it. Default: they stay out. */
  readonly undated?: Undated | undefined;
}

/** @throws {UsageError} the target is not empty, the key is too short, or there is no such open request */
export async function pseudonymiseTo(
  context: CallContext,
  target: string,
  { forRequest, undated, ...choices }: PseudonymisedChoices,
): Promise<PseudonymiseSummary> {
  const { copyPseudonymised } = await import('../rewrite/pseudonymise/copy-pseudonymised.js');
  const { archive, signal } = context;
  if (undated !== undefined && !forRequest) {
    throw new UsageError('undated is about the period of a request; name the request');
  }
  const given: GivenChoice = { undated };
  return doneFor(context, {
    forRequest,
    given,
    work: (choice, request) => {
      const part = request && { request, choice };
      return withTarget(context, target, choices, (storage) =>
        copyPseudonymised(archive, storage, { ...choices, part, signal }),
      );
    },
    recordOf: (made, by) =>
      packWork({ ...made, form: 'copy', artifacts: 0, head: { number: made.through } }, by),
  });
}

async function withTarget<T>(
  { options }: CallContext,
  target: string,
  choices: { readonly storage?: StorageOptions | undefined },
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(target, choices.storage ?? options.storage, options.logger);
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}
