/** Converts times to Excel's serial numbers: days since the end of 1899, without a time zone; ours are UTC. */

const MICROS_PER_DAY = 86_400_000_000;
/** The serial number of 1970-01-01. */
const EPOCH = 25_569;
/** 1900-03-01. Before it programs disagree, because Excel has a 29 February 1900. */
const FIRST = 61;
/** 10000-01-01. */
const END = 2_958_466;

/** Exact to one microsecond until 2079, to two afterwards. Undefined for times outside Excel's range. */
export function excelTime(micros: bigint): number | undefined {
  // divide last: two roundings would lose the microsecond
  const days = (Number(micros) + EPOCH * MICROS_PER_DAY) / MICROS_PER_DAY;
  return days >= FIRST && days < END ? days : undefined;
}
