/** Decides which requests a rule affects. Counts by rule object: a new object starts at 0. */
import type { RandomStream } from '../seed/random-stream.js';
import type { Occasion } from './faults.js';

export class Occasions {
  readonly #matched = new WeakMap<Occasion, number>();
  readonly #struck = new WeakMap<Occasion, number>();
  readonly #random: RandomStream;

  constructor(random: RandomStream) {
    this.#random = random;
  }

  /** The first rule that matches and affects this request. Matching rules before it count the request. */
  strike<Rule extends Occasion>(
    rules: readonly Rule[],
    matches: (rule: Rule) => boolean,
  ): Rule | undefined {
    return rules.find((rule) => matches(rule) && this.#isDue(rule));
  }

  #isDue(rule: Occasion): boolean {
    const nth = (this.#matched.get(rule) ?? 0) + 1;
    this.#matched.set(rule, nth);
    const past = nth - (rule.after ?? 0);
    if (past <= 0) return false;
    if (rule.every !== undefined && past % rule.every !== 0) return false;
    if (rule.probability !== undefined && this.#random.fraction() >= rule.probability) return false;
    const strikes = (this.#struck.get(rule) ?? 0) + 1;
    if (rule.first !== undefined && strikes > rule.first) return false;
    this.#struck.set(rule, strikes);
    return true;
  }
}
