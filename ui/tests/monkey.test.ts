import { monkeys } from './monkey';

/*
 * Somebody who presses, clicks and types whatever there is, while agents ask, withdraw and end: 10,000 steps,
 * half of them in `monkeyOn.test.ts`, which runs beside this one.
 * A failing run prints its seed and its last steps; `MONKEY_SEED=… npx vitest run tests/monkey` runs it again.
 */
monkeys(1, 20);
