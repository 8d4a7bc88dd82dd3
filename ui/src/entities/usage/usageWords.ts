import type { UsageSum } from '../../generated/wire';
import { t } from '../../shared/messages';
import { cost, tokenCount } from '../../shared/usage';

export function tokensOf({ inputTokens, outputTokens }: UsageSum): number {
  return inputTokens + outputTokens;
}

/** Cost and tokens in a line, without a cost that no agent reports: `$11.20 · 3.4M tokens`. */
export function wordsOfUsage(sum: UsageSum): string {
  const tokens = t('usage.tokens', { tokens: tokenCount(tokensOf(sum)) });
  return sum.cost === null ? tokens : `${cost(sum.cost)} · ${tokens}`;
}
