/** User ids as an organisation's directory would have them: the first few are names, the rest are numbered. */
const NAMES = [
  'ana.silva',
  'jonas.weber',
  'mei.tanaka',
  'amira.haddad',
  'olivier.martin',
  'priya.nair',
  'sofia.rossi',
  'ivan.petrov',
  'lena.fischer',
  'carlos.ortega',
  'grace.okafor',
  'wei.zhang',
  'nina.kowalska',
  'tom.bakker',
  'yuki.sato',
];

/** Ever the same for the same index. */
export function userName(index: number): string {
  return NAMES[index] ?? `user-${String(index + 1).padStart(5, '0')}`;
}
