import { chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Other users are refused what root may do, so a test of a refusal needs one. */
const NOBODY = 65_534;

/** Runs the work as an ordinary user if the tests run as root. Contract: nothing else happens at the same time. */
export const asOtherUser = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const { geteuid, seteuid } = process;
  if (geteuid === undefined || seteuid === undefined || geteuid() !== 0) return work();
  // The folder of all tests, which is otherwise open to its owner alone.
  chmodSync(tmpdir(), 0o1777);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
};

/** The user whose files `asOtherUser` works on. */
export const OTHER_USER = process.geteuid?.() === 0 ? NOBODY : (process.geteuid?.() ?? NOBODY);
