import { tokensOf } from '../../entities/usage/usageWords';
import type { UsageSum } from '../../generated/wire';

/** What the plot of days shows: their costs, or their tokens if no agent reports a cost. */
export interface PlottedUsage {
  by: 'cost' | 'tokens';
  days: readonly number[];
  /** The sum of the days. */
  cost: number;
  tokens: number;
}

export function plottedUsage(days: readonly UsageSum[]): PlottedUsage {
  const tokens = days.map(tokensOf);
  const costs = days.map(({ cost }) => cost ?? 0);
  const [cost, all] = [costs, tokens].map((numbers) => numbers.reduce((sum, one) => sum + one, 0)) as [number, number];
  return { by: cost > 0 ? 'cost' : 'tokens', days: cost > 0 ? costs : tokens, cost, tokens: all };
}
