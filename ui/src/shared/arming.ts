/**
 * How long a request ignores keys and clicks after it has arrived, changed or moved, in milliseconds, so that nothing meant for
 * what was there before decides anything. `--arm` in tokens.css is the same. Tests that aren't about it set it to 0, and those
 * that are bring their own clock.
 */
export const arming = { delay: 500, after };

/** Runs something later; returns a function that prevents it. */
function after(millis: number, run: () => void): () => void {
  const timer = setTimeout(run, millis);
  return () => clearTimeout(timer);
}
