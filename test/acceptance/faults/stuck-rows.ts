/** Faults that block a change request, or stay silent, without cause. */
import { by, type Proof, proved } from '../named-test.ts';

const HEADS = 'test/integration/story-heads.test.ts';
const MIRROR = 'test/shared/workspace/mirror.test.ts';
const PATTERNS = 'test/shared/workspace/bash-patterns.test.ts';

export const STUCK_ROWS: Readonly<Record<string, Proof>> = {
  'F-C3': proved(by(HEADS, 'is reviewed, answered and passed as any other')),
  'F-R1': proved(
    by(HEADS, 'is reviewed at the head that the forge names, in one run'),
    by(
      MIRROR,
      'fetches the branch of the project',
      'fetches the branch of a fork, and never from another server',
      'fetches the commit by its id when the branch is gone or may not be read',
      'is superseded when the branch has moved on, or nothing leads to the head',
    ),
  ),
  'F-W1': proved(
    by(PATTERNS, '%s gives what it matches', '%s is refused with the word to use'),
    by('test/shared/workspace/search.test.ts', 'matches names at any depth, and whole paths where a slash stands'),
  ),
};
