/** Checks that the program of each `[[analyzer]]` exists in the cage. Runs none of them. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { type CommandAnalyzer, isFromCi } from '../../../shared/config/analyzer-settings.ts';
import type { Config } from '../../../shared/config/load.ts';
import { everySettings } from '../../../shared/config/project-settings.ts';
import { cageWishOf } from '../../../shared/runtime/connect-cage.ts';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import { findCage } from '../../../shared/workspace/cage/find-cage.ts';
import { type Check, fail, ok, type Seen } from './check.ts';
import type { Machine } from './machine.ts';

const TIMEOUT_MS = 60_000;
const LOOK_MS = 10_000;

const FIX =
  'install the program, and list its folder in sandbox.read_only_paths unless it is below /usr/bin or /usr/lib';
const NO_CAGE = 'see the check "cage": without a cage no analyzer runs, and no review of its files passes';

export const analyzerChecks = (config: Config, machine: Machine): readonly Check[] =>
  commandsIn(config).length === 0
    ? []
    : [
        {
          name: 'analyzers',
          timeoutMs: TIMEOUT_MS,
          fix: FIX,
          look: async (signal) => lookAtAnalyzers(config, machine, signal),
        },
      ];

/**
 * The commands of every project, each program once. A report of CI is checked by each review: nothing says before that
 * the job exists.
 */
const commandsIn = (config: Config): readonly CommandAnalyzer[] => {
  const all = everySettings(config).flatMap(({ analyzer }) => analyzer.filter((each) => !isFromCi(each)));
  return [...new Map(all.map((each) => [`${each.name} ${each.command[0]}`, each])).values()];
};

const lookAtAnalyzers = async (
  config: Config,
  { searchPath }: Machine,
  signal: AbortSignal,
): Promise<readonly Seen[]> => {
  const found = config.sandbox.backend === 'none' ? null : await findCage(cageWishOf(config, searchPath), signal);
  if (found === null || found.kind !== 'caged') return [fail('there is no cage', NO_CAGE)];
  const workspace = await mkdtemp(path.join(config.dataDir, 'doctor-'));
  try {
    // The account of the cage works in this folder.
    await chmod(workspace, 0o755);
    const seen: Seen[] = [];
    for (const analyzer of commandsIn(config))
      seen.push(await lookAt(analyzer, { cage: found.cage, workspace }, signal));
    return seen;
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
};

type Place = { readonly cage: Cage; readonly workspace: string };

const lookAt = async (
  { name, command: [program] }: CommandAnalyzer,
  { cage, workspace }: Place,
  signal: AbortSignal,
): Promise<Seen> => {
  const look = ['/bin/sh', '-c', 'test -f "$1" && test -x "$1"', 'look', program] as const;
  const { code } = await cage.run(look, { workspace, timeoutMs: LOOK_MS, outputBytes: 1024, signal });
  return code === 0 ? ok(`${name}: ${program}`) : fail(`${name}: there is no program ${program} in the cage`, FIX);
};
