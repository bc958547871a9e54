/** A session's topic, language and name. */
import { answersIn, SEED_LANGUAGES, topics, type Answer, type SeedLanguage } from '../fixtures.js';
import { RandomStream, type SeedPlan } from './seed-plan.js';

export interface SessionPlace {
  readonly user: number;
  readonly session: number;
}

/** Languages in turn, so that a few sessions have them all. */
export function languageOf({ user, session }: SessionPlace): SeedLanguage {
  return SEED_LANGUAGES[(user * 4 + session) % SEED_LANGUAGES.length] ?? 'EN';
}

/** What most jobs of a session are about, in its language. */
export function answerOf(place: SessionPlace, { seed }: SeedPlan): Answer {
  const index = (seed + place.user * 7 + place.session) % topics().length;
  const answer = answersIn(languageOf(place))[index];
  if (!answer) throw new RangeError(`no answer ${index} in ${languageOf(place)}`);
  return answer;
}

/** A turn without an odd name. */
const ORDINARY = 0;

/** Most names are ordinary; some odd ones are too long, look like a formula or a path, or have emoji. */
export function nameSession(place: SessionPlace, plan: SeedPlan): string {
  const { session: name } = answerOf(place, plan);
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
