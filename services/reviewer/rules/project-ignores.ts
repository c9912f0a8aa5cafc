import {
  type IgnoresInForce,
  ignoresInForce,
  type IgnoreTerms,
} from '../../../shared/config/repository/ignore-entries.ts';
import type { RepositorySettings } from '../../../shared/config/repository/repository-settings.ts';
import { PROJECT_SOURCE } from '../../../shared/rules/own/own-rule.ts';
import { isKnownRule } from '../../../shared/rules/recheck.ts';
import type { Brief } from '../../../shared/rounds/model/brief.ts';
import { analyzerOf } from '../../../shared/vocabulary/analyzer.ts';
import { DEFAULT_PROJECT_IGNORES, type Ignores, type ProjectIgnores } from '../../../shared/vocabulary/ignores.ts';

/** The conditions that decide which `[[ignore]]` entries are in force. */
export type Ignoring = Omit<IgnoreTerms, 'isRule'> & {
  /** The names of the operator's analyzers and sources of rules, each of whose rules an entry can name. Absent if there are none. */
  readonly analyzers?: readonly string[];
};

export type ProjectIgnored = { readonly ignores: Ignores | undefined; readonly notes: readonly string[] };

/** If `ignoring` is undefined, no entry is in force. */
export const ignoredBy = ({ ignore }: RepositorySettings, ignoring: Ignoring | undefined): ProjectIgnored => {
  if (ignoring === undefined) return { ignores: undefined, notes: [] };
  const { claims, notes } = entriesInForce(ignore, ignoring);
  return { ignores: claims.length === 0 ? undefined : { which: ignoring.which, entries: [...claims] }, notes };
};

export const entriesInForce = (entries: RepositorySettings['ignore'], ignoring: Ignoring): IgnoresInForce =>
  ignoresInForce(entries, { ...ignoring, isRule: isIgnorable(ignoring.analyzers) });

/** Which rules an analyzer or a source of rules has is not known here, so any id of one is accepted. */
export const isIgnorable =
  (analyzers: readonly string[] = []): IgnoreTerms['isRule'] =>
  (id) => {
    const analyzer = analyzerOf(id);
    return analyzer === null ? isKnownRule(id) : analyzer === PROJECT_SOURCE || analyzers.includes(analyzer);
  };

type Deps = {
  readonly projectIgnores?: ProjectIgnores;
  readonly analyzerNames?: readonly string[];
  readonly nowMs: () => number;
};

/** The forge's git address may differ from its web address; links may use either of them. */
export const ignoringFor = (
  { projectIgnores = DEFAULT_PROJECT_IGNORES, analyzerNames, nowMs }: Deps,
  { git, webUrl }: Pick<Brief, 'git' | 'webUrl'>,
): Ignoring => ({
  which: projectIgnores,
  nowMs: nowMs(),
  forgeUrls: [git.url, ...(webUrl === null ? [] : [webUrl])],
  ...(analyzerNames === undefined ? {} : { analyzers: analyzerNames }),
});
