/**
 * Tests whether a cage isolates. A program in the cage tries to break out and reports what it could do. Outside the cage, the
 * check looks for traces of the program. A cage that was not tested, or failed one test, is not used.
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
  readonly folder: string;
  readonly maxProcesses: number;
};

const SELF_TEST = new URL('cage-self-test.mjs', import.meta.url);
const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
const VARIABLES = ['PATH', 'HOME', 'LANG', 'PWD', 'OLDPWD', 'SHLVL', '_'];
/** In its own process namespace the program gets a small process id. */
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
  // Any error but EPERM means that the seccomp filter did not refuse the call.
  ['a program can make a socket', ({ network }) => network.some((reason) => reason !== null && reason !== 'EPERM')],
  ['a program runs as root', ({ accountId }) => accountId === 0 || accountId === null],
  ['a program has variables of the service', ({ variables }) => variables.some((name) => !VARIABLES.includes(name))],
  ['a program can gain privileges', ({ gainsRights }) => gainsRights],
  ['a program has the privileges of an administrator', ({ hasRights }) => hasRights],
  ['a program can mount', ({ mounts }) => mounts],
  ['a program can make namespaces', ({ makesNamespaces }) => makesNamespaces],
  ['the number of processes is not limited', ({ processes }, max) => processes !== String(max)],
];

type Listeners = {
  /** The program tries to reach a TCP port on loopback, an abstract Unix socket and a Unix socket in the file system. */
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
  // A socket path is limited to about 100 characters, so the socket is in the system's temporary folder.
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

/** Makes everything outside the cage accessible to every account, so that only the cage can block the program. */
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

/** Checks the files outside the cage, independently of what the program reported. */
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

/** Returns one message per failed test; none when the cage isolates. @throws `signal.reason`, and errors of the machine. */
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
