import { monkeys } from './monkey';

/* The other half of what `monkey.test.ts` does. */
monkeys(21, 40);
