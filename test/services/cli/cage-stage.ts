/** Local reviews whose cage can be watched: each start of bubblewrap leaves a line. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chooseReviewer } from '../../../services/cli/review/choose-runner.ts';
import type { CageSearch } from '../../../services/cli/review/review-cage.ts';
import type { LocalReviewer } from '../../../services/cli/review/local-runners.ts';
import { openFolder } from '../../support/cage.ts';
import { GIT } from '../../shared/workspace/repository.ts';
import type { ModelWorld } from './model-world.ts';

export type CageStage = {
  readonly folder: string;
  /** `PATH` with a bubblewrap that is watched, and with none. */
  readonly watchedPath: string;
  readonly emptyPath: string;
  /** The programs that ran in a cage since the last call, in the order of their first start. */
  readonly caged: () => readonly string[];
  /** A `fixpoint.toml` with these lines under `[sandbox]`. */
  readonly configure: (sandbox: string) => string;
  readonly dispose: () => void;
};

const FORGE = [
  '[[forge]]',
  'id = "sim"\nkind = "forgejo"\nbase_url = "http://127.0.0.1:9"\nprojects = ["*"]',
  'token_env = "SIM_TOKEN"\nwebhook_secret_envs = ["SIM_WEBHOOK_SECRET"]',
].join('\n');

/** What stands last is the program and its arguments, behind the limits that it gets. */
const PROGRAM = /--core=0 -- (?:\S*\/)?(?<name>[a-z]+) (?<argument>\S+)/;

const programIn = (line: string): string => {
  const { name = '', argument = '' } = PROGRAM.exec(line)?.groups ?? {};
  if (name !== 'node') return name;
  return argument.startsWith('--max-old-space-size') ? 'the file server' : 'the check';
};

const findBubblewrap = (): string => {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'bwrap')).find((file) => existsSync(file)) ?? 'bwrap';
};

export const openCageStage = (): CageStage => {
  const { path: folder, dispose } = openFolder();
  const log = join(folder, 'started');
  // The account of the cage writes to it.
  const clear = (): void => writeFileSync(log, '');
  clear();
  chmodSync(log, 0o666);
  const place = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path);
    chmodSync(path, 0o755);
    symlinkSync(GIT, join(path, 'git'));
    return path;
  };
  const [watchedPath, emptyPath] = [place('watched'), place('empty')];
  const script = `#!/bin/sh\necho "$*" | tr '\\n' ' ' >>${log}\necho >>${log}\nexec ${findBubblewrap()} "$@"\n`;
  writeFileSync(join(watchedPath, 'bwrap'), script, { mode: 0o755 });
  let configurations = 0;
  return {
    folder,
    watchedPath,
    emptyPath,
    caged: () => {
      const names = readFileSync(log, 'utf8').split('\n').map(programIn);
      clear();
      return [...new Set(names.filter((name) => name !== ''))];
    },
    configure: (sandbox) => {
      configurations += 1;
      const file = join(folder, `fixpoint-${configurations}.toml`);
      writeFileSync(file, `${FORGE}\n[sandbox]\n${sandbox}\n`);
      return file;
    },
    dispose,
  };
};

/** The reviewing model of a world, and what it is told. */
export const modelOf = ({ sim }: ModelWorld): LocalReviewer =>
  chooseReviewer({ runner: 'agent', apiKey: sim.apiKey, baseUrl: sim.url }, { env: {}, onProgress: () => {} }).reviewer;

export const searchIn = (path: string, configPath?: string) => {
  const notices: string[] = [];
  const search: CageSearch = { configPath, env: { PATH: path }, onNotice: (line) => void notices.push(line) };
  return { search, notices };
};

const statusOf = (id: string): string => {
  try {
    return readFileSync(`/proc/${id}/status`, 'utf8');
  } catch {
    return '';
  }
};

/** Cages that this process has started and that are still there. */
export const openCages = (): number =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statusOf)
    .filter((status) => new RegExp(`^PPid:\\t${process.pid}$`, 'm').test(status) && /^Name:\tbwrap$/m.test(status))
    .length;
