/** A line with a file's path or address, as a file manager puts it on the clipboard next to the file. */
const FILE_LINE = /^(?:file:\/\/|\/)/;

/** Whether a pasted text may stand for copied files. Only the app can tell, as the paste event doesn't have them. */
export function mayNameFiles(text: string): boolean {
  const lines = text.trim().split(/\r?\n/);
  return lines.length <= 1000 && lines.every((line) => FILE_LINE.test(line));
}
