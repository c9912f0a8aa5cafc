/** Who is called, for tests that are about something else: nobody has named operators, and no file names owners. */
import type { CallForge } from '../../../services/poster/calls/call-forge.ts';
import type { PosterDeps } from '../../../services/poster/deps.ts';
import { DIALECTS } from '../../../shared/forge/kinds/forge-kind.ts';
import type { CalledNames } from '../../../shared/store/called-names.ts';

export const NO_OWNERS: CallForge = {
  read: { fetchFile: async () => null, findName: async () => null },
  syntax: DIALECTS.forgejo.codeOwners,
  botIds: new Set(),
  botLogin: 'fixpoint',
  botMarks: null,
};

export const createMemoryCalled = (): CalledNames => {
  const all = new Map<string, readonly string[]>();
  return {
    load: async (planId, part) => all.get(`${planId}.${part}`) ?? null,
    freeze: async (planId, part, names) => {
      const key = `${planId}.${part}`;
      const known = all.get(key) ?? names;
      all.set(key, known);
      return known;
    },
  };
};

export const callDeps = (operators: readonly string[] = []): Pick<PosterDeps, 'calls' | 'called'> => ({
  calls: { operators, mentionGroups: false },
  called: createMemoryCalled(),
});
