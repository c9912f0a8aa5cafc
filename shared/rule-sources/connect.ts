import { createHash } from 'node:crypto';
import type { ForgeSettings } from '../config/forge-settings.ts';
import { type RuleSettings, sourcesFor } from '../config/rule-settings.ts';
import type { MirrorAccess } from '../workspace/mirror/open-head.ts';
import { type LoadedSource, loadSource } from './load-source.ts';

export type RuleSources = {
  /**
   * Contract: loads the sources of a project, in the order of the configuration. `project` is `owner/name`, or null if it
   * is not known.
   */
  readonly load: (project: string | null, signal: AbortSignal) => Promise<readonly LoadedSource[]>;
};

type Settings = { readonly rules: RuleSettings; readonly forges: readonly ForgeSettings[] };

export const connectRuleSources = (
  { rules, forges }: Settings,
  mirrors: ReadonlyMap<string, MirrorAccess>,
): RuleSources => ({
  load: async (project, signal) =>
    Promise.all(
      sourcesFor(rules, project).flatMap((source) => {
        const mirror = mirrors.get(source.forge);
        const baseUrl = forges.find(({ id }) => id === source.forge)?.baseUrl;
        return mirror === undefined || baseUrl === undefined ? [] : [loadSource(source, { mirror, baseUrl }, signal)];
      }),
    ),
});

/** The operator's settings together with the content of the sources. Without sources it is that of the settings alone. */
export const withSources = (operatorRules: string, sources: readonly LoadedSource[]): string =>
  sources.length === 0
    ? operatorRules
    : createHash('sha256')
        .update(JSON.stringify([operatorRules, ...sources.map(({ key }) => key)]))
        .digest('hex');
