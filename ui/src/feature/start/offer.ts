import type { AgentDescriptor, AgentFound } from '../../generated/wire';
import { demoOf } from '../../store/agents';
import type { State } from '../../store/state';

/** An agent to choose from; `found` is null until the search has ended. */
export interface Offer {
  agent: AgentDescriptor;
  found: AgentFound | null;
}

/** The agents to choose from, those that can start first. The demo has a place of its own. */
export function offersOf(state: State): Offer[] {
  const demo = demoOf(state);
  const offers = state.agentsKnown
    .filter((agent) => agent !== demo)
    .map((agent) => ({ agent, found: state.agents?.agents.find((one) => one.agent === agent.id) ?? null }));
  return [...offers.filter(canStart), ...offers.filter((offer) => !canStart(offer))];
}

/** Whether no problem is known that keeps the agent from starting. */
function canStart({ found }: Offer): boolean {
  return !found?.problem;
}

/** Whether the search has ended without an agent that can start. */
export function noneStarts(state: State): boolean {
  return state.agents !== null && !offersOf(state).some(canStart);
}

/** Two letters that stand for a name: the initials of its words, or the first and last letter of its only word. */
export function monogram(name: string): string {
  const words = name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[\s_-]+/)
    .filter((word) => word !== '');
  const [first = '', second] = words.map((word) => [...word]);
  const letters = second ? [first[0], second[0]] : first.length > 1 ? [first.at(0), first.at(-1)] : [...first];
  return letters.join('').toLowerCase();
}
