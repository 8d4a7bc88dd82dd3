import type { UsageSum } from '../../generated/wire';
import { plural } from '../../shared/messages';
import { cost, tokenCount } from '../../shared/usage';

export function tokensOf({ inputTokens, outputTokens }: UsageSum): number {
  return inputTokens + outputTokens;
}

/** A number of tokens for tight spaces: `3.4M tokens`. */
export function wordsOfTokens(tokens: number): string {
  return plural('usage.tokens', tokens, { tokens: tokenCount(tokens) });
}

/** Cost and tokens in a line, without a cost that no agent reports: `$11.20 · 3.4M tokens`. */
export function wordsOfUsage(sum: UsageSum): string {
  const tokens = wordsOfTokens(tokensOf(sum));
  return sum.cost === null ? tokens : `${cost(sum.cost)} · ${tokens}`;
}
