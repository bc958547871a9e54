/** Keys of seeded files. They look opaque but encode the job and the number of the file, so that no table of keys is needed. */
import { type SeededJobPlace } from './seed-plan.js';

export interface SeededFilePlace extends SeededJobPlace {
  /** Counted from 0 within the job. */
  readonly file: number;
}

const KEY = /^jobs\/([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{8})([0-9a-f]{4})\//;

/** `jobs/<24 hexadecimal digits>/<name>` */
export function fileKey({ user, session, job, file }: SeededFilePlace, name: string): string {
  const digits = hex(user, 8) + hex(session, 4) + hex(job, 8) + hex(file, 4);
  return `jobs/${digits}/${name}`;
}

export function filePlaceOf(key: string): SeededFilePlace | undefined {
  const match = KEY.exec(key);
  if (!match) return undefined;
  const [user, session, job, file] = match.slice(1).map((digits) => parseInt(digits, 16));
  return user === undefined || session === undefined || job === undefined || file === undefined
    ? undefined
    : { user, session, job, file };
}

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, '0');
}
