/** What an evil model gives the Bash tool, and how often that really starts a program. */
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { BashRunner } from '../../../shared/workspace/bash/bash-runner.ts';
import { CAGE_UID } from '../../support/cage.ts';
import { anyBashText, attacksOn, harmlessOn, type Targets } from '../workspace/bash-attacks.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';

/** Each shows something of the tree or of its history. */
const TAKEN = [
  'ls -laR',
  'head -n 3 key.pem',
  'tail -n +3 key.pem',
  'wc -l src/b.ts',
  'git log -p',
  "git show 'HEAD~1:key.pem'",
  "git diff -U0 'HEAD~1' HEAD",
  'git blame -L 3,+1 key.pem',
  'git grep MII',
  "git grep -v '^$' 'HEAD~1'",
  'git cat-file -p HEAD:link-to-file',
  'git ls-tree -r -l HEAD',
  'head link-to-file link-to-folder/canary.txt',
];

const connecting = (port: number): readonly string[] => [
  `git ls-remote http://127.0.0.1:${port}/x.git`,
  `git fetch http://127.0.0.1:${port}/x.git`,
  `git log http://127.0.0.1:${port}/x.git`,
  `git grep x http://127.0.0.1:${port}/x.git`,
  `git show 'http://127.0.0.1:${port}/x.git:a'`,
];

/** Half of it must be refused; the rest is taken, and shows what it may. */
export const evilCommands = (targets: Targets, port: number): readonly string[] => {
  const strange = fc.sample(anyBashText, { numRuns: DEEP ? 1_000 : 20, seed: 20_260_101 });
  const attacks = Object.values(attacksOn(targets)).flat();
  const harmless = harmlessOn(targets).slice(0, DEEP ? undefined : 6);
  const taken = [...TAKEN, ...harmless];
  const often = Array.from({ length: DEEP ? 10 : 15 }, () => taken).flat();
  return [...often, ...strange, ...attacks, ...connecting(port)];
};

/** Calls of programs in the deep run; each takes about 50 ms. */
const MAX_REAL_CALLS = 3_000;

export type Sparing = {
  readonly run: BashRunner;
  readonly calls: () => number;
  /** Resolves when nothing runs any more: whoever stops a conversation does not wait for what it kills. */
  readonly settled: () => Promise<unknown>;
};

/**
 * The same words over a tree that stays as it is say the same: they are run once. In the deep run again and again, until
 * there have been enough.
 */
export const sparing = (run: BashRunner): Sparing => {
  const known = new Map<string, ReturnType<BashRunner>>();
  let calls = 0;
  return {
    calls: () => calls,
    settled: async () => Promise.allSettled(known.values()),
    run: async (call, signal) => {
      const name = JSON.stringify([call.program, call.args, Buffer.from(call.stdin ?? []).toString('base64')]);
      const again = known.get(name);
      if (again !== undefined && (!DEEP || calls >= MAX_REAL_CALLS)) return again;
      calls += 1;
      const result = run(call, signal);
      known.set(name, result);
      return result;
    },
  };
};

/** A listener on loopback, and how often somebody came. */
export const listen = async (): Promise<{ readonly server: Server; readonly port: number; visitors: () => number }> => {
  let visitors = 0;
  const server = createServer((socket) => {
    visitors += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { server, port: address.port, visitors: () => visitors };
};

type Seen = { readonly id: string; readonly parent: string; readonly uid: string; readonly said: string };

const seen = (id: string): readonly Seen[] => {
  try {
    const facts = readFileSync(`/proc/${id}/status`, 'utf8');
    const fact = (name: string): string => new RegExp(`^${name}:\\t(\\S+)`, 'm').exec(facts)?.[1] ?? '';
    return [{ id, parent: fact('PPid'), uid: fact('Uid'), said: `${id} ${fact('Name')} ${fact('State')}` }];
  } catch {
    return [];
  }
};

/**
 * Processes that this one has started, and those under the account of its cages that nobody waits for any more: id, name
 * and state of each. Cages of tests beside this one have a parent.
 */
export const processesLeft = (): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(seen)
    .filter(({ parent, uid }) => parent === `${process.pid}` || (parent === '1' && uid === `${CAGE_UID}`))
    .map(({ said }) => said);
