/** A session's topic, language and name. */
import { fillPhrase, PHRASES } from './phrases.js';
import {
  capitalised,
  DIMENSIONS,
  MEASURES,
  SEED_LANGUAGES,
  type SeedLanguage,
} from './measures.js';
import { RandomStream, type SeedPlan } from './seed-plan.js';
import { TOPICS, type Topic } from './topics.js';

export interface SessionPlace {
  readonly user: number;
  readonly session: number;
}

/** Languages in turn, so that a few sessions have them all. */
export function languageOf({ user, session }: SessionPlace): SeedLanguage {
  return SEED_LANGUAGES[(user * 4 + session) % SEED_LANGUAGES.length] ?? 'EN';
}

export function topicOf({ user, session }: SessionPlace, { seed }: SeedPlan): Topic {
  return TOPICS[(seed + user * 7 + session) % TOPICS.length] ?? TOPICS[0];
}

/** A turn without an odd name. */
const ORDINARY = 0;

/** Most names are ordinary; some odd ones are too long, look like a formula or a path, or have emoji. */
export function nameSession(place: SessionPlace, plan: SeedPlan): string {
  const topic = topicOf(place, plan);
  const language = languageOf(place);
  const phrase = fillPhrase(PHRASES[language].session, {
    m: MEASURES[topic.measure][language],
    d: DIMENSIONS[topic.dimension][language],
  });
  const name = capitalised(phrase);
  switch (plan.odd ? (place.user * 5 + place.session) % 16 : ORDINARY) {
    case 2:
      return `${name} 📊✨`;
    case 4:
      return `${name} – ${'review for the quarterly meeting, second draft; '.repeat(4)}é`;
    case 6:
      return `=SUM(B2:B9) ${name}`;
    case 9:
      return `../${name}/ CON`;
    case 11:
      return `“${name}” <b>draft</b>`;
    default:
      return RandomStream.of(plan.seed, 'name', place.user, place.session).chance(0.3)
        ? `${name}, 2025`
        : name;
  }
}
