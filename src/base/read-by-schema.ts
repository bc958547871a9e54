/** Reads values by a schema of zod, few of them without compiling it. */
import type { z } from 'zod';

/** To compile a schema takes as long as reading about as many values without. */
const FEW = 16;

/**
 * zod compiles a schema before it reads the first value: where few are read, as when a command starts, that takes longer than
 * all of them.
 *
 * @returns what reads a value, or throws what `parse` of the schema throws
 */
export function readerBy<Value>(schema: z.ZodType<Value>): (value: unknown) => Value {
  let count = 0;
  return (value) => schema.parse(value, { jitless: count++ < FEW });
}
