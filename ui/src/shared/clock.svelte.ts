/** The present moment, to the second, for whatever shows a waiting time. */
class Clock {
  now = $state(Date.now());

  /** Ticks until the returned function is called. */
  run(): () => void {
    const timer = setInterval(() => (this.now = Date.now()), 1000);
    return () => clearInterval(timer);
  }
}

export const clock = new Clock();
