/** The languages of seeded sessions, in turn; English twice. */
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
