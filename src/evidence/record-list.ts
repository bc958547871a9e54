/** The records of a conversation as one file: a JSON list, in which each stands exactly as the service sent it. */

/** Where a record is in the pack. */
export interface RecordPlace {
  /** The path of the file with the records of its conversation. */
  readonly packPath: string;
  /** Which one it is there, from 1. */
  readonly number: number;
  /** At which byte it begins there, from 0. */
  readonly offset: number;
}

const [BEGIN, BETWEEN, END] = ['[\n', ',\n', '\n]\n'];

export async function* recordList(
  records: Iterable<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  let before = BEGIN;
  for (const record of records) {
    yield Buffer.from(before);
    yield* record;
    before = BETWEEN;
  }
  yield Buffer.from(END);
}

/** At which byte of the file each record begins, from 0. @param lengths in bytes */
export function offsetsIn(lengths: readonly number[]): number[] {
  let at = BEGIN.length;
  return lengths.map((length) => {
    const offset = at;
    at += length + BETWEEN.length;
    return offset;
  });
}
