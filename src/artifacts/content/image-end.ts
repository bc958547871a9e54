/** Follows an image's structure as it streams by, to detect whether it is complete or truncated. */

/** What to read next; `mayEnd`: a body that ends here is complete. */
type Step =
  | { readonly take: number; readonly mayEnd?: boolean }
  | { readonly skip: number }
  /** Skips to the next byte of this value, inclusive. */
  | { readonly until: number };
/** Receives the bytes of each `take`; returns at the image's end. Bytes after the end are ignored. */
type Walk = Generator<Step, void, Buffer>;

const BYTES_TO_TELL_FORMAT = 12;

export class ImageEnd {
  #head: Buffer = Buffer.alloc(0);
  #walk: Walk | null | undefined;
  /** Whether bytes came after the image's end. */
  #goesOn = false;
  #isBoxes = false;
  #step: Step | undefined;
  /** Progress of the current step. */
  #taken: Buffer = Buffer.alloc(0);
  #skipped = 0;

  write(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#walk !== undefined) {
      this.#feed(bytes);
      return;
    }
    this.#head = Buffer.concat([this.#head, bytes]);
    if (this.#head.length < BYTES_TO_TELL_FORMAT) return;
    this.#walk = walkOf(this.#head);
    this.#isBoxes = isBoxes(this.#head);
    this.#advance(Buffer.alloc(0));
    this.#feed(this.#head);
    this.#head = Buffer.alloc(0);
  }

  /** Valid once the body has ended; null for formats without a known end (TIFF, ICO, SVG, not an image). */
  get isWhole(): boolean | null {
    if (!this.#walk) return null;
    const step = this.#step;
    if (!step) return true;
    return 'take' in step && step.mayEnd === true && this.#taken.length === 0;
  }

  /**
   * Whether the body ends right where the image says that it ends, so that nothing can be missing. AVIF and
   * HEIC never say so: a body may end after any of their boxes.
   */
  get provesEnd(): boolean {
    return this.isWhole === true && !this.#step && !this.#goesOn && !this.#isBoxes;
  }

  #feed(bytes: Buffer): void {
    let at = 0;
    while (this.#step && at < bytes.length) {
      const step = this.#step;
      if ('take' in step) {
        const part = bytes.subarray(at, at + step.take - this.#taken.length);
        at += part.length;
        this.#taken = this.#taken.length === 0 ? part : Buffer.concat([this.#taken, part]);
        if (this.#taken.length === step.take) this.#advance(this.#taken);
        else this.#taken = Buffer.from(this.#taken); // the chunk is the caller's
      } else if ('skip' in step) {
        const count = Math.min(bytes.length - at, step.skip - this.#skipped);
        at += count;
        this.#skipped += count;
        if (this.#skipped === step.skip) this.#advance();
      } else {
        const found = bytes.indexOf(step.until, at);
        at = found < 0 ? bytes.length : found + 1;
        if (found >= 0) this.#advance();
      }
    }
    this.#goesOn ||= at < bytes.length;
  }

  #advance(taken: Buffer = Buffer.alloc(0)): void {
    this.#taken = Buffer.alloc(0);
    this.#skipped = 0;
    let next = this.#walk?.next(taken);
    while (next?.value && 'skip' in next.value && next.value.skip <= 0) {
      next = this.#walk?.next(this.#taken);
    }
    this.#step = next?.value ?? undefined;
  }
}

function walkOf(head: Buffer): Walk | null {
  const begins = (text: string, at = 0): boolean =>
    head.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'));
  if (begins('\x89PNG\r\n\x1a\n')) return pngWalk();
  if (begins('\xff\xd8\xff')) return jpegWalk();
  if (begins('GIF87a') || begins('GIF89a')) return gifWalk();
  if (begins('RIFF') && begins('WEBP', 8)) return riffWalk();
  // a CSV may begin with these letters, and has no zeros
  if (begins('BM') && head.readUInt32LE(RESERVED_OF_BITMAP) === 0) return bitmapWalk();
  return isBoxes(head) ? boxWalk() : null;
}

/** Four bytes that are 0 in every bitmap. */
const RESERVED_OF_BITMAP = 6;

/** AVIF, HEIC. */
function isBoxes(head: Buffer): boolean {
  return head.toString('latin1', 4, 8) === 'ftyp';
}

/** The image is damaged: nothing that follows completes it. */
const BROKEN: Step = { skip: Infinity };

function* pngWalk(): Walk {
  yield { skip: 8 };
  for (;;) {
    const chunk = yield { take: 8 };
    yield { skip: chunk.readUInt32BE(0) + 4 }; // and its checksum
    if (chunk.toString('latin1', 4) === 'IEND') return;
  }
}

const JPEG = {
  stuffed: 0,
  temporary: 1,
  firstRestart: 0xd0,
  lastRestart: 0xd7,
  end: 0xd9,
  scan: 0xda,
};

function* jpegWalk(): Walk {
  yield { skip: 2 };
  let isScan = false;
  for (;;) {
    // inside a scan any bytes may precede the next marker; elsewhere it follows at once
    if (isScan) yield { until: 0xff };
    else if ((yield { take: 1 })[0] !== 0xff) yield BROKEN;
    let marker: number | undefined;
    do [marker] = yield { take: 1 };
    while (marker === 0xff);
    if (marker === undefined || marker === JPEG.end) return;
    if (marker === JPEG.stuffed || marker === JPEG.temporary) continue;
    if (marker >= JPEG.firstRestart && marker <= JPEG.lastRestart) continue;
    const length = yield { take: 2 };
    yield { skip: length.readUInt16BE(0) - 2 };
    isScan = marker === JPEG.scan;
  }
}

const GIF = { image: 0x2c, extension: 0x21, end: 0x3b };

function* gifWalk(): Walk {
  const header = yield { take: 13 };
  yield { skip: gifColours(header[10]) };
  for (;;) {
    const [block] = yield { take: 1 };
    if (block === GIF.end) return;
    if (block === GIF.image) {
      const image = yield { take: 9 };
      yield { skip: gifColours(image[8]) };
      yield { skip: 1 };
    } else if (block === GIF.extension) yield { skip: 1 };
    else if (block !== 0) yield BROKEN;
    else continue;
    for (;;) {
      const [length = 0] = yield { take: 1 };
      if (length === 0) break;
      yield { skip: length };
    }
  }
}

function gifColours(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

function* riffWalk(): Walk {
  const header = yield { take: 8 };
  yield { skip: header.readUInt32LE(4) };
}

function* bitmapWalk(): Walk {
  const header = yield { take: 6 };
  yield { skip: header.readUInt32LE(2) - 6 };
}

function* boxWalk(): Walk {
  for (;;) {
    const box = yield { take: 8, mayEnd: true };
    const size = box.readUInt32BE(0);
    if (size === 0) return; // it goes to the end of the file
    if (size === 1) {
      const large = yield { take: 8 };
      yield { skip: Number(large.readBigUInt64BE(0)) - 16 };
    } else if (size < 8) yield BROKEN;
    else yield { skip: size - 8 };
  }
}
