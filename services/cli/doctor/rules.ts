/** Reads each `[[rules.from]]` as a review does, and reports what keeps reviews from passing. */
import type { Config } from '../../../shared/config/load.ts';
import { SOURCES_S } from '../../../shared/config/rule-settings.ts';
import { loadSource } from '../../../shared/rule-sources/load-source.ts';
import { mirrorAccessOf } from '../../../shared/runtime/mirrors/mirror-access.ts';
import { type Check, fail, ok, type Seen } from './check.ts';
import type { Machine } from './machine.ts';

const FIX =
  'correct the rule or the table [[rules.from]], and let the git token read the repository; until then reviews of these projects do not pass';

/** Beyond the time of fetching, that of checking the examples. */
const CHECK_MS = 60_000;

export const ruleChecks = (config: Config, { searchPath }: Machine): readonly Check[] =>
  config.rules.from.map((source) => ({
    name: `rules ${source.name}`,
    timeoutMs: SOURCES_S * 1000 + CHECK_MS,
    fix: FIX,
    look: async (signal): Promise<readonly Seen[]> => {
      const mirror = mirrorAccessOf(config, searchPath).get(source.forge);
      const baseUrl = config.forges.find(({ id }) => id === source.forge)?.baseUrl;
      if (mirror === undefined || baseUrl === undefined) return [fail('its forge is not configured', FIX)];
      const { commit, set, guidelines } = await loadSource(source, { mirror, baseUrl }, signal);
      const problems = set.problems.map(({ file, why }) => fail(file === null ? why : `${file}: ${why}`, FIX));
      const counts = `${set.rules.length} rules, ${guidelines.length} guidelines`;
      return commit === null ? problems : [ok(`${counts} at ${commit.slice(0, 12)}`), ...problems];
    },
  }));
