/** The languages that seeded sessions are held in, in turn; English comes up more often. */
export const SEED_LANGUAGES = [
  'EN',
  'DE',
  'FR',
  'ES',
  'PT',
  'JA',
  'EN',
  'ZH-CN',
  'AR',
  'RU',
  'HI',
] as const;

export type SeedLanguage = (typeof SEED_LANGUAGES)[number];
