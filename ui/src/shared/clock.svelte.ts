/** The current time, updated every second, for components that show elapsed time. */
class Clock {
  now = $state(Date.now());

  /** Ticks until the returned function is called. */
  run(): () => void {
    const timer = setInterval(() => (this.now = Date.now()), 1000);
    return () => clearInterval(timer);
  }
}

export const clock = new Clock();
