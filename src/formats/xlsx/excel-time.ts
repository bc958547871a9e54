/** Times as Excel counts them: days since the end of 1899, without a time zone; ours are UTC. */

const MICROS_PER_DAY = 86_400_000_000;
/** The serial number of 1970-01-01. */
const EPOCH = 25_569;
/** Before 1900-03-01 programs disagree, since Excel believes in a 29 February 1900. */
const FIRST = 61;
/** 10000-01-01. */
const END = 2_958_466;

/** Exact to a microsecond until 2079, to two afterwards. Undefined of a time that is no date in Excel. */
export function excelTime(micros: bigint): number | undefined {
  // divided last: two roundings would lose the microsecond
  const days = (Number(micros) + EPOCH * MICROS_PER_DAY) / MICROS_PER_DAY;
  return days >= FIRST && days < END ? days : undefined;
}
