/** The reducers with one production file changed on the way in, as modules of their own beside the real ones. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createViteServer } from 'vitest/node';
import type { Reducers } from './explore-reducers.ts';
import type { Mutant } from './mutants.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** How often the text that a mutant replaces stands in its file: once, or the mutant is no longer one. */
export const countOf = async ({ file, from }: Mutant): Promise<number> =>
  (await readFile(join(ROOT, file), 'utf8')).split(from).length - 1;

export type LoadedMutant = { readonly reducers: Reducers; readonly close: () => Promise<void> };

/** @throws Error when the changed file was not among those that were loaded. */
export const loadMutant = async ({ file, from, to }: Mutant): Promise<LoadedMutant> => {
  let changed = 0;
  const server = await createViteServer({
    root: ROOT,
    configFile: false,
    logLevel: 'silent',
    appType: 'custom',
    server: { middlewareMode: true, hmr: false, watch: null, ws: false },
    optimizeDeps: { noDiscovery: true, include: [] },
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        transform: (code, id) => {
          if (id !== join(ROOT, file)) return null;
          changed += 1;
          return code.replace(from, () => to);
        },
      },
    ],
  });
  const loaded = await server.ssrLoadModule('/test/shared/rounds/explore-reducers.ts');
  if (changed !== 1) throw new Error(`${file} was changed ${changed} times`);
  // The module is the one that the type is taken from, but for the change.
  return { reducers: loaded['PRODUCTION'] as Reducers, close: async () => server.close() };
};
