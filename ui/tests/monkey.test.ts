import { monkeys } from './monkey';

/*
 * Somebody who presses, clicks and types whatever there is, while agents ask, withdraw and end.
 * A failing run prints its seed and its last steps; `MONKEY_SEED=… npx vitest run tests/monkey` runs it again.
 */
monkeys(1, 20);
