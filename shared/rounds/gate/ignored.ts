/** Finds the findings that the target branch's `[[ignore]]` entries silence. Only exact rule ids and fingerprints match. */
import { compileGlob } from '../../diff/paths/glob-match.ts';
import { type Ignores, whyAlwaysHeard } from '../../vocabulary/ignores.ts';
import { isBlocking, isGrave } from '../model/blocking.ts';
import type { CheckedFinding } from '../model/draft.ts';

/** Returns the id of the first entry that silences the finding; null if none does. */
export type FindIgnore = (finding: CheckedFinding) => string | null;

/** If `ignores` is undefined, nothing is silenced. */
export const createFindIgnore = (ignores: Ignores | undefined): FindIgnore => {
  const { which, entries } = ignores ?? { which: 'off', entries: [] };
  const compiled = entries.map((entry) => ({ ...entry, glob: compileGlob(entry.path) }));
  return (finding) => {
    const { claim, fingerprint } = finding;
    if (whyAlwaysHeard({ ...claim, blocks: preventsPass(finding) }, which) !== null) return null;
    const here = compiled.filter(({ glob }) => glob?.covers(claim.path) === true);
    const isNamed = (rule: string): boolean => here.some((entry) => entry.rule === rule);
    // What other tools report too stays, unless their rules are silenced too.
    const byRule = (claim.alsoRules ?? []).every(isNamed);
    const names = ({ rule, fingerprint: print }: Ignores['entries'][number]): boolean =>
      rule === null ? print === fingerprint : byRule && rule === claim.rule;
    return here.find(names)?.id ?? null;
  };
};

/** A P0 or P1 without evidence is an unverified claim, which prevents a pass even outside the diff. */
const preventsPass = ({ claim, evidenced }: CheckedFinding): boolean =>
  isBlocking(claim) || (isGrave(claim.severity) && !evidenced);
