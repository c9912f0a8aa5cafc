/** What a mutant is told by, the same in the process that draws the sample and in Stryker's own. */
import path from 'node:path';

export const keyOf = ({ fileName, location: { start, end }, mutatorName, replacement }) =>
  [path.basename(fileName), start.line, start.column, end.line, end.column, mutatorName, replacement].join(' ');
