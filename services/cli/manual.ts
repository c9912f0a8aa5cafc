/** The manual page of this program. */
import { createProgram } from './program.ts';
import { treeOf } from './shell/command-tree.ts';
import { manPage } from './shell/man-page.ts';
import { EXIT_MEANINGS } from './terminal/exit-codes.ts';
import { VERSION } from '../../shared/version.ts';

/** @public The build writes it into the package. */
export const manualOf = (): string => {
  const nothing = async (): Promise<void> => {};
  const tree = treeOf(createProgram({ run: nothing, leave: nothing }));
  return manPage(tree, { version: VERSION, exitCodes: EXIT_MEANINGS });
};
