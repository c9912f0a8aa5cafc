/** Part of `npm run check`: prints the number of files per folder, and fails when an import breaks the order. */
import { filesPerFolder, importCycles, LAYERS, MAX_FILES, wrongImports } from './layers.ts';

const counts = filesPerFolder();
for (const [folder, what] of LAYERS)
  process.stdout.write(`${String(counts.get(folder) ?? 0).padStart(3)}  ${folder.padEnd(38)} ${what}\n`);

const faults = [
  ...wrongImports(),
  ...importCycles().map((cycle) => `cycle: ${cycle.join(' > ')}`),
  ...[...counts].filter(([, count]) => count > MAX_FILES).map(([folder, count]) => `${folder} has ${count} files`),
  ...[...counts.keys()]
    .filter((folder) => !LAYERS.some(([known]) => known === folder))
    .map((folder) => `${folder} is not in the table of test/conventions/layers.ts`),
];
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
