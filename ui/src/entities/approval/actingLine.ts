/** Lines that only prepare: a comment, options of the shell, a plain change of the folder. Whatever else acts. */
const PREPARES = /^(?:#|(?:set|cd) [\p{L}\p{N}\-_+./~ ]*$)/u;

/** A script of several lines that is handed to a shell. */
const HANDED = /^\S*?(?:^|\/)(?:sh|bash|zsh) -l?c (['"])([^]*)\1$/;

/** The line of a command that acts, and how many lines there are besides it; `acting_line` in the domain finds the same. */
export function actingLine(command: string): { line: string; more: number } {
  const script = HANDED.exec(command.trim())?.[2]?.trim();
  const lines = (script?.includes('\n') ? script : command)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const line = lines.find((one) => !PREPARES.test(one)) ?? lines[0] ?? '';
  return { line: line.replace(/\s+/g, ' '), more: Math.max(0, lines.length - 1) };
}
