/** The records of a conversation as one file: a JSON list, in which each stands exactly as the service sent it. */
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
