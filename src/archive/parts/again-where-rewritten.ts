/** Others may compact the archive or erase from it; each time, the work begins again with the newest commit. */
import { RewrittenMeanwhileError } from './rewritten-meanwhile-error.js';

const MAX_ATTEMPTS = 10;

/** @param make whatever it has made counts only when it resolves */
export async function againWhereRewritten<T>(make: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await make();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !(error instanceof RewrittenMeanwhileError)) throw error;
    }
  }
}
