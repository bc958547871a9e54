/** Repeats a read of the archive when another run has compacted it or erased from it meanwhile. */
import { RewrittenMeanwhileError } from './archive-errors.js';

const MAX_ATTEMPTS = 10;

/** @param make its results count only when it resolves */
export async function retryOnRewrite<T>(make: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await make();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !(error instanceof RewrittenMeanwhileError)) throw error;
    }
  }
}
