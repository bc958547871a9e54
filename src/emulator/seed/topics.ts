/** The topics of seeded sessions, with the range of their numbers. */
import type { Dimension, Measure } from './measures.js';

export interface Topic {
  readonly measure: Measure;
  readonly dimension: Dimension;
  /** Names of the rows. */
  readonly categories: readonly string[];
  readonly low: number;
  readonly high: number;
  /** The decimals of every value. */
  readonly decimals: 0 | 1;
  /** Whether a total makes sense; otherwise the average is shown. */
  readonly additive: boolean;
  /** A line over time, or bars. */
  readonly chart: 'bar' | 'line';
  /** File names of its data sources. */
  readonly sources: readonly string[];
}

const MONTHS = Array.from(
  { length: 12 },
  (_, month) => `2025-${String(month + 1).padStart(2, '0')}`,
);
const REGIONS = ['North', 'South', 'East', 'West', 'São Paulo', 'Zürich', '東京 (Tokyo)'];
const PRODUCTS = [
  'Sensors',
  'Pumps, used',
  'The "Classic"',
  'Valves',
  'Spare parts ⚙️',
  'Services',
];
const TEAMS = ['Platform', 'Field, EMEA', 'Onboarding', 'Billing', 'Café & Kitchen'];
const SITES = ['Lyon', 'Gdańsk', 'Hall 3, Bremen', 'Pune', 'Querétaro'];
const CHANNELS = ['Search', 'E-mail', 'Partners', 'Trade fairs', 'Social 📣'];
const PLANS = ['Free', 'Team', 'Business', 'Enterprise, annual'];
const CARRIERS = ['Nordfracht', 'Blue Line, Inc.', 'Rapide', 'Küstenkurier', 'Trans-Alp'];

const sums = { decimals: 0, additive: true } as const;
const means = { decimals: 1, additive: false } as const;

// prettier-ignore
export const TOPICS: readonly [Topic, ...Topic[]] = [
  { measure: 'revenue', dimension: 'region', categories: REGIONS, low: 42_000, high: 910_000, ...sums, chart: 'bar', sources: ['sales_2025.xlsx', 'regions.csv'] },
  { measure: 'revenue', dimension: 'month', categories: MONTHS, low: 310_000, high: 720_000, ...sums, chart: 'line', sources: ['sales_2025.xlsx'] },
  { measure: 'churn', dimension: 'plan', categories: PLANS, low: 1, high: 9, ...means, chart: 'bar', sources: ['subscriptions.csv', 'cancellations.csv'] },
  { measure: 'churn', dimension: 'month', categories: MONTHS, low: 2, high: 6, ...means, chart: 'line', sources: ['subscriptions.csv'] },
  { measure: 'tickets', dimension: 'team', categories: TEAMS, low: 120, high: 2400, ...sums, chart: 'bar', sources: ['helpdesk export.csv', 'Service handbook.pdf'] },
  { measure: 'tickets', dimension: 'month', categories: MONTHS, low: 640, high: 1500, ...sums, chart: 'line', sources: ['helpdesk export.csv'] },
  { measure: 'deliveryDays', dimension: 'carrier', categories: CARRIERS, low: 1, high: 8, ...means, chart: 'bar', sources: ['shipments.csv', 'Carrier contracts.docx'] },
  { measure: 'headcount', dimension: 'site', categories: SITES, low: 18, high: 460, ...sums, chart: 'bar', sources: ['people.xlsx'] },
  { measure: 'energy', dimension: 'site', categories: SITES, low: 900, high: 5200, ...sums, chart: 'bar', sources: ['meters.csv', 'https://intranet.example/energy'] },
  { measure: 'energy', dimension: 'month', categories: MONTHS, low: 1400, high: 2600, ...sums, chart: 'line', sources: ['meters.csv'] },
  { measure: 'returns', dimension: 'product', categories: PRODUCTS, low: 12, high: 340, ...sums, chart: 'bar', sources: ['orders.csv', 'returns.csv'] },
  { measure: 'leads', dimension: 'channel', categories: CHANNELS, low: 40, high: 900, ...sums, chart: 'bar', sources: ['crm.csv', 'campaigns.md'] },
  { measure: 'stock', dimension: 'product', categories: PRODUCTS, low: 200, high: 8000, ...sums, chart: 'bar', sources: ['warehouse.xlsx'] },
  { measure: 'downtime', dimension: 'site', categories: SITES, low: 3, high: 96, ...sums, chart: 'bar', sources: ['maintenance log.txt', 'machines.csv'] },
  { measure: 'satisfaction', dimension: 'team', categories: TEAMS, low: 6, high: 9, ...means, chart: 'bar', sources: ['survey.csv'] },
  { measure: 'sessions', dimension: 'month', categories: MONTHS, low: 18_000, high: 64_000, ...sums, chart: 'line', sources: ['web analytics.csv'] },
  { measure: 'spend', dimension: 'channel', categories: CHANNELS, low: 4000, high: 88_000, ...sums, chart: 'bar', sources: ['budget.xlsx', 'campaigns.md'] },
  { measure: 'emissions', dimension: 'site', categories: SITES, low: 80, high: 1900, ...sums, chart: 'bar', sources: ['meters.csv', 'Emission factors.pdf'] },
];
