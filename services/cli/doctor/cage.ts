import { readFile } from 'node:fs/promises';
import { isFromCi } from '../../../shared/config/analyzer-settings.ts';
import type { Config } from '../../../shared/config/load.ts';
import { everySettings } from '../../../shared/config/project-settings.ts';
import { cageWishOf } from '../../../shared/runtime/connect-cage.ts';
import { findCage } from '../../../shared/workspace/cage/find-cage.ts';
import { type Check, fail, ok, type Seen, warn } from './check.ts';
import type { Machine } from './machine.ts';

const TIMEOUT_MS = 60_000;

const INSTALL = 'install bubblewrap (Debian: apt-get install bubblewrap)';

/** Kernel settings that disable the user namespaces that the cage needs: file, bad value, fix. */
const SWITCHES = [
  ['/proc/sys/user/max_user_namespaces', '0', 'sysctl user.max_user_namespaces=10000'],
  ['/proc/sys/kernel/unprivileged_userns_clone', '0', 'sysctl kernel.unprivileged_userns_clone=1'],
  [
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    '1',
    'an AppArmor profile with "userns" for /usr/bin/bwrap, or sysctl kernel.apparmor_restrict_unprivileged_userns=0',
  ],
] as const;

const ALLOW = 'in a container, start it with the seccomp profile in deploy/ (see deploy/guide/security.md)';

const readSwitch = async (file: string): Promise<string | null> => {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    return null;
  }
};

const waysToAllow = async (): Promise<string> => {
  const ways: string[] = [];
  for (const [file, off, way] of SWITCHES) if ((await readSwitch(file)) === off) ways.push(way);
  return `allow user namespaces: ${[...ways, ALLOW].join('; ')}`;
};

const fixFor = async (reasons: readonly string[]): Promise<string> => {
  const all = reasons.join(' ');
  if (/is not installed/.test(all)) return all.includes('bwrap') ? INSTALL : 'install util-linux';
  if (/namespace|uid map|Operation not permitted/i.test(all)) return waysToAllow();
  if (all.includes('chmod')) return "allow the cage's account to access the folders above data_dir, or move data_dir";
  return 'this bubblewrap is not usable: install the unmodified package of the distribution';
};

const OFF = 'Bash, validation commands and analyzers are disabled, and the service itself opens files for a model';

const BACK_ON = 'set sandbox.backend = "bubblewrap"';
const AUTHOR_OFF = 'author.enabled is set, but without a cage the author is disabled and fixes nothing';
const AUTHOR_OUTSIDE = 'set sandbox.backend = "none" to allow the author to work without a cage';

/** What needs the cage in any project. */
const usersOf = (config: Config) => {
  const every = everySettings(config);
  return {
    commands: new Set(every.flatMap(({ validation }) => validation.command)).size,
    analyzes: every.some(({ analyzer }) => !analyzer.every(isFromCi)),
    authors: every.map(({ author }) => author).filter(({ enabled }) => enabled),
  };
};

const wordsWithout = (config: Config): string =>
  usersOf(config).authors.length > 0 ? `${OFF}; the author works without a cage` : OFF;

const lookAtCage = async (config: Config, { searchPath }: Machine, signal: AbortSignal): Promise<Seen> => {
  const { backend, required } = config.sandbox;
  if (backend === 'none') return warn(`sandbox.backend is "none": ${wordsWithout(config)}`, BACK_ON);
  const found = await findCage(cageWishOf(config, searchPath), signal);
  if (found.kind === 'caged') return ok('works');
  const why = found.reasons.join('; ');
  const fix = await fixFor(found.reasons);
  const { commands, analyzes, authors } = usersOf(config);
  if (required) return fail(`${why}; sandbox.required is set, so services do not start`, fix);
  const broken = [
    ...(commands > 0 ? [`${commands} validation commands cannot run, so no review passes`] : []),
    ...(analyzes ? ['no analyzer can run, so no review of their files passes'] : []),
    ...(authors.length > 0 ? [AUTHOR_OFF] : []),
  ];
  const ways = authors.some(({ caged }) => !caged) ? `${fix}; or ${AUTHOR_OUTSIDE}` : fix;
  if (broken.length > 0) return fail([why, ...broken].join('; '), ways);
  return warn(`${why}: ${OFF}`, fix);
};

export const cageCheck = (config: Config, machine: Machine): Check => ({
  name: 'cage',
  timeoutMs: TIMEOUT_MS,
  fix: INSTALL,
  look: async (signal) => [await lookAtCage(config, machine, signal)],
});
