import { monkeys } from './monkey';

/* The second half of the steps; see `monkey.test.ts`. */
monkeys(21, 40);
