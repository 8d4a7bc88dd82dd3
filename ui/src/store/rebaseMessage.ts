/** The message that asks the agent to rebase and to resolve conflicts. Agents are told everything in English. */
export function rebaseMessage(base: string, files: readonly string[]): string {
  const named = files.map((file) => `- ${file}`).join('\n');
  const ask = `Rebase your branch onto ${base}, resolve the conflicts, and commit. Don't push.`;
  return `Your branch and ${base} have changed the same lines in these files:\n\n${named}\n\n${ask}`;
}
