/** Makes and parses names of staged files. The name identifies the owner, so that every file has one. */
import { sha256Hex } from '../../base/digest.js';
import type { ProcessIdentity, Processes } from '../../base/process-identity.js';

/** One storage instance of one process. */
export interface StagingOwner {
  /** The prefix of all its names. */
  readonly prefix: string;
  /** Unknown: of another machine, or from before the last boot. */
  readonly life: 'alive' | 'dead' | 'unknown';
}

const NAME =
  /^(?<prefix>(?<machine>[0-9a-f]{16})-(?<pid>\d+)-(?<started>\w+)-[0-9a-f]{16})-\d+(?:\.[0-9a-f]{64})?$/;

/** @param instance 16 hexadecimal digits, so that two storages of a process never pick the same name */
export function stagingPrefix(self: ProcessIdentity, instance: string): string {
  return `${machineOf(self)}-${self.pid}-${self.started}-${instance}`;
}

/** A name in another form is its own owner. */
export function stagingOwnerOf(name: string, processes: Processes): StagingOwner {
  const { self } = processes;
  const { prefix = name, machine, pid, started = '' } = NAME.exec(name)?.groups ?? {};
  if (machine !== machineOf(self)) return { prefix, life: 'unknown' };
  const isDead = processes.isDead({ ...self, pid: Number(pid), started });
  return { prefix, life: isDead ? 'dead' : 'alive' };
}

function machineOf({ host, boot }: ProcessIdentity): string {
  return sha256Hex(JSON.stringify([host, boot])).slice(0, 16);
}
