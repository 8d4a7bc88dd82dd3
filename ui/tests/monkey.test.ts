import { monkeys } from './monkey';

/*
 * Random keys, clicks, and text, while agents ask, withdraw, and end: 10,000 steps, half of them in
 * `monkeyOn.test.ts`, which runs in parallel. A failing run prints its seed and its last steps; to repeat it, run
 * `MONKEY_SEED=… npx vitest run tests/monkey`.
 */
monkeys(1, 20);
