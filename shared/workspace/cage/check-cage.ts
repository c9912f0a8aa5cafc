/**
 * Whether a cage is one. It is asked from inside, by a program that tries to get out, and from outside, by what that
 * program would have touched. A cage that was not asked, or gave one wrong answer, is none.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Cage } from './cage.ts';
import { ProcessStartError } from '../process/command.ts';

export type CageCheck = {
  readonly cage: Cage;
  /** The workspaces will lie below this folder. */
  readonly folder: string;
  readonly maxProcesses: number;
};

const SELF_TEST = new URL('cage-self-test.mjs', import.meta.url);
const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
const VARIABLES = ['PATH', 'HOME', 'LANG', 'PWD', 'OLDPWD', 'SHLVL', '_'];
/** In a process namespace of its own the program is the second one. */
const MAX_PROCESS_ID = 9;

const Answers = z.object({
  nonce: z.string(),
  seesWorkspace: z.boolean(),
  runsRipgrep: z.boolean(),
  writesTmp: z.boolean(),
  writesWorkspace: z.boolean(),
  writesRoot: z.boolean(),
  writesOutside: z.boolean(),
  readsOutside: z.boolean(),
  readsMachine: z.boolean(),
  readsProcesses: z.boolean(),
  holdsFiles: z.boolean(),
  network: z.array(z.string().nullable()),
  processId: z.number(),
  accountId: z.number().nullable(),
  variables: z.array(z.string()),
  gainsRights: z.boolean(),
  hasRights: z.boolean(),
  mounts: z.boolean(),
  makesNamespaces: z.boolean(),
  processes: z.string(),
});
type Answers = z.output<typeof Answers>;

/** Each with the words that stand in the log when it is true. */
const WRONG: readonly (readonly [string, (answers: Answers, maxProcesses: number) => boolean])[] = [
  ['a program does not see the workspace', ({ seesWorkspace }) => !seesWorkspace],
  ['ripgrep does not run', ({ runsRipgrep }) => !runsRipgrep],
  ['a program cannot write to its own /tmp', ({ writesTmp }) => !writesTmp],
  ['a program can write to the workspace', ({ writesWorkspace }) => writesWorkspace],
  ['a program can write to the root of the cage', ({ writesRoot }) => writesRoot],
  ['a program can write to files outside', ({ writesOutside }) => writesOutside],
  ['a program can read files outside', ({ readsOutside }) => readsOutside],
  ['a program can read files of the machine', ({ readsMachine }) => readsMachine],
  ['a program can see processes outside', ({ readsProcesses }) => readsProcesses],
  ['a program holds open files of the service', ({ holdsFiles }) => holdsFiles],
  ['a program has the process ids of the machine', ({ processId }) => processId > MAX_PROCESS_ID],
  ['a program can reach a listener outside', ({ network }) => network.includes(null)],
  // Another reason than the filter's would mean that there is no filter.
  ['a program can make a socket', ({ network }) => network.some((reason) => reason !== null && reason !== 'EPERM')],
  ['a program runs as root', ({ accountId }) => accountId === 0 || accountId === null],
  ['a program has variables of the service', ({ variables }) => variables.some((name) => !VARIABLES.includes(name))],
  ['a program can gain rights', ({ gainsRights }) => gainsRights],
  ['a program has rights of an administrator', ({ hasRights }) => hasRights],
  ['a program can mount', ({ mounts }) => mounts],
  ['a program can make namespaces', ({ makesNamespaces }) => makesNamespaces],
  ['the number of processes is not limited', ({ processes }, max) => processes !== String(max)],
];

type Listeners = {
  /** One at a port of loopback, one with a name in the network namespace, one with a name in the file system. */
  readonly port: number;
  readonly sockets: readonly [string, string];
  readonly connections: () => number;
  readonly close: () => Promise<void>;
};

type Bait = { readonly nonce: string; readonly root: string; readonly workspace: string; readonly outside: string };

const listen = async (server: Server, at: { readonly path: string } | { readonly port: number }): Promise<void> => {
  server.listen(at);
  await once(server, 'listening');
};

const openListeners = async (nonce: string): Promise<Listeners> => {
  let connections = 0;
  const create = (): Server =>
    createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
  const servers = { tcp: create(), abstract: create(), named: create() };
  // Below the machine's own folder for it: a socket's name has room for about a hundred characters.
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-check-'));
  await chmod(folder, 0o755);
  const sockets = [`\0fixpoint-${nonce}`, join(folder, 'socket')] as const;
  await listen(servers.tcp, { port: 0 });
  await listen(servers.abstract, { path: sockets[0] });
  await listen(servers.named, { path: sockets[1] });
  await chmod(sockets[1], 0o777);
  const address = servers.tcp.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    sockets,
    connections: () => connections,
    close: async () => {
      for (const server of Object.values(servers)) server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Everything that lies outside is open to every account: only the cage keeps a program from it. */
const layBait = async (folder: string): Promise<Bait> => {
  const nonce = randomBytes(16).toString('hex');
  await mkdir(folder, { recursive: true });
  const root = await mkdtemp(join(folder, 'check-'));
  const [workspace, outside] = [join(root, 'workspace'), join(root, 'outside')];
  await mkdir(workspace);
  await mkdir(outside);
  await writeFile(join(workspace, 'inside'), nonce);
  await writeFile(join(outside, 'canary'), nonce);
  await chmod(root, 0o755);
  for (const path of [workspace, outside, join(outside, 'canary'), join(workspace, 'inside')]) await chmod(path, 0o777);
  return { nonce, root, workspace, outside };
};

/** What would have changed outside, whatever the program said. */
const changedOutside = async ({ workspace, outside, nonce }: Bait): Promise<boolean> => {
  const names = [...(await readdir(workspace)), ...(await readdir(outside))];
  return names.toSorted().join() !== 'canary,inside' || (await readFile(join(outside, 'canary'), 'utf8')) !== nonce;
};

const askInside = async (
  { cage, maxProcesses }: CageCheck,
  { bait, listeners }: { readonly bait: Bait; readonly listeners: Listeners },
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const { nonce, workspace, outside } = bait;
  const { port, sockets } = listeners;
  const { node, ripgrep } = cage.programs;
  const files = { inside: 'inside', canary: join(outside, 'canary'), outside: join(outside, 'written') };
  const task = JSON.stringify({ nonce, ...files, port, sockets, ripgrep });
  const result = await cage.run([node, '--input-type=module', '-e', await readFile(SELF_TEST, 'utf8'), task], {
    workspace,
    timeoutMs: TIMEOUT_MS,
    outputBytes: MAX_OUTPUT_BYTES,
    signal,
  });
  const answers = readAnswers(result.stdout.toString('utf8'));
  if (answers === null || answers.nonce !== nonce) return [`it does not run a program (${firstLine(result.stderr)})`];
  return WRONG.filter(([, isWrong]) => isWrong(answers, maxProcesses)).map(([words]) => words);
};

const firstLine = (text: string): string => text.split('\n', 1)[0]?.slice(0, 300) ?? '';

const readAnswers = (text: string): Answers | null => {
  try {
    return Answers.parse(JSON.parse(text));
  } catch {
    return null;
  }
};

/** What is wrong with the cage, in plain words; empty when it holds. Throws `signal.reason`, or when the machine fails. */
export const checkCage = async (check: CageCheck, signal: AbortSignal): Promise<readonly string[]> => {
  const bait = await layBait(check.folder);
  const listeners = await openListeners(bait.nonce);
  try {
    const wrong = [...(await askInside(check, { bait, listeners }, signal))];
    if (await changedOutside(bait)) wrong.push('a program has changed files outside');
    if (listeners.connections() > 0) wrong.push('a program has reached a listener outside');
    return [...new Set(wrong)];
  } catch (error) {
    if (error instanceof ProcessStartError) return [error.message];
    throw error;
  } finally {
    await listeners.close();
    await rm(bait.root, { recursive: true, force: true });
  }
};
