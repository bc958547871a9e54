/** The bytes of a file of an archive, as those of its copies are: a copy's jobvault.json has a name of its own besides. */
export function comparableBytes(path: string, bytes: Buffer): Buffer {
  if (!path.endsWith('jobvault.json')) return bytes;
  const identity = JSON.parse(bytes.toString()) as object;
  return Buffer.from(JSON.stringify({ ...identity, copy: undefined }));
}
