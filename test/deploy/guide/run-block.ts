/** Runs a shell block in a shell of its own; what the reader is to fill in, the caller gives. */
import { type StdioOptions, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { type Block, placeOf } from './blocks.ts';

export type RunOptions = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Values for the variables that the block sets at the start of a line. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Shell text before the block. */
  readonly prelude?: string;
};

export type Running = {
  /** Resolves with what was found in either stream; rejects when the block ends without it. */
  readonly printed: (pattern: RegExp) => Promise<string>;
  /** As Ctrl-C does: to every process of the block. */
  readonly interrupt: () => void;
  /** @throws when the block fails, with everything that it printed. */
  readonly ended: Promise<string>;
};

const BLOCK_MS = 120_000;

/** What a program says that runs until the reader ends it. */
const WAITS = /until you press Ctrl-C/;

const quoted = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`;

export const fillIn = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replaceAll(/^([A-Z][A-Z_]*)=.*$/gm, (line, name: string) => {
    const value = variables[name];
    return value === undefined ? line : `${name}=${quoted(value)}`;
  });

const shells = new Set<number>();
const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch {
    // It is gone.
  }
};
process.on('exit', () => {
  for (const pid of shells) signalGroup(pid, 'SIGKILL');
});

export const startBlock = (block: Block, { cwd, env, variables = {}, prelude = '' }: RunOptions): Running => {
  const script = `${prelude}\n${fillIn(block.text, variables)}\n`;
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { ...env },
    stdio: PIPES,
    detached: true,
  });
  const pid = child.pid ?? 0;
  shells.add(pid);
  const output = watchOutput([child.stdout, child.stderr]);
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), BLOCK_MS);
  const ended = once(child, 'close').then(() => {
    clearTimeout(timer);
    shells.delete(pid);
    if (child.exitCode === 0) return output.all();
    throw new Error(`${placeOf(block)} ended with ${child.exitCode ?? child.signalCode}:\n${output.all()}`);
  });
  const printed = async (pattern: RegExp): Promise<string> => {
    const found = await Promise.race([output.find(pattern), ended]);
    const [match] = pattern.exec(found) ?? [];
    if (match === undefined) throw new Error(`${placeOf(block)} ended without ${pattern}:\n${found}`);
    return match;
  };
  return { printed, interrupt: () => signalGroup(pid, 'SIGINT'), ended };
};

const PIPES = ['ignore', 'pipe', 'pipe'] as const satisfies StdioOptions;

const watchOutput = (streams: readonly Readable[]) => {
  let text = '';
  const seen = new EventEmitter();
  for (const stream of streams) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      seen.emit('more');
    });
  }
  const find = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(text)) await once(seen, 'more');
    return text;
  };
  return { all: () => text, find };
};

/** A block that waits for Ctrl-C gets it. */
export const runBlock = async (block: Block, options: RunOptions): Promise<string> => {
  const { printed, interrupt, ended } = startBlock(block, options);
  void printed(WAITS).then(interrupt, () => {});
  return ended;
};
