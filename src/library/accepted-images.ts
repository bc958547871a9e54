/** The images of an open archive that somebody accepts as what they should be. */
import type { ImageChoice } from '../archive/gaps.js';
import type { AcceptedImage } from '../archive/log/accepted-gaps.js';
import type { CallContext } from './call-context.js';

export class AcceptedImages {
  readonly #context: CallContext;

  constructor(context: CallContext) {
    this.#context = context;
  }

  /** The accepted images in force, in the order in which they were accepted. @throws {IntegrityError} */
  async list(): Promise<readonly AcceptedImage[]> {
    const { index } = this.#context.reader;
    await index.refresh();
    return index.acceptedGaps.images;
  }

  /** No export marks the image as suspicious for its bytes any more. @throws {UsageError} */
  async accept(choice: ImageChoice): Promise<AcceptedImage> {
    const { acceptImage } = await import('../archive/gaps.js');
    return this.#context.stamped(acceptImage(this.#context.reader, choice));
  }

  /** Exports mark the image again. @throws {UsageError} */
  async withdraw(choice: ImageChoice): Promise<AcceptedImage> {
    const { withdrawImage } = await import('../archive/gaps.js');
    return this.#context.stamped(withdrawImage(this.#context.reader, choice));
  }
}
