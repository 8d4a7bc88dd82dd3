/** Suggests a commit message from the name of a branch: `askdesk/add-rate-limits` becomes “Add rate limits”. */
export function messageOfBranch(branch: string): string {
  const words = (branch.split('/').at(-1) ?? '').replace(/[-_]+/g, ' ').trim();
  const [first = '', ...rest] = [...words];
  return first.toLocaleUpperCase() + rest.join('');
}
