/** The sets that `fixpoint eval load` knows. */
import { readAacr } from './read-aacr.ts';
import { readBugsInPy } from './read-bugsinpy.ts';
import { readCaseFolder } from './read-case-folder.ts';
import type { LoadedSet } from './loaded-set.ts';
import { readMartian } from './read-martian.ts';
import { readSecbench } from './read-secbench.ts';
import type { EvalSetName } from './set-names.ts';

/** Contract: reads files only. @throws UsageError */
export const SET_READERS: Readonly<Record<EvalSetName, (root: string) => Promise<LoadedSet>>> = {
  folder: readCaseFolder,
  martian: readMartian,
  aacr: readAacr,
  bugsinpy: readBugsInPy,
  secbench: readSecbench,
};
