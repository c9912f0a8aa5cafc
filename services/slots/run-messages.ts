/** Runs an agent that uses protocol messages: writes a packet for it into the work tree, and reads the packet that it wrote. */
import { mkdir, readFile, realpath, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FindingsPacket } from '../../shared/protocol/findings-packet.ts';
import { parseFindingsPacket, printPacket } from '../../shared/protocol/packet-text.ts';
import { printMessage } from '../../shared/protocol/print-message.ts';
import {
  feedbackOf,
  packetOfText,
  readReviewMessage,
  requestMessageOf,
  type Talk,
  verdictOfPacket,
  whyNotAddressed,
} from './protocol-talk.ts';
import type { Repository } from './worktree/repository.ts';
import type { ReadVerdict } from './verdict.ts';

export type MessagesRunDeps = {
  readonly repository: Repository;
  readonly cwd: string;
  /** Contract: runs the agent with this text on standard input. `failed` has the same meaning as in `run-agent.ts`. */
  readonly run: (input: string) => Promise<{ readonly stdout: string; readonly failed: string | null }>;
  readonly signal: AbortSignal;
};

/** git ignores this folder, so that packets do not become part of the work. */
const FOLDER = join('.fixpoint', 'loop', 'packets');
const MAX_PACKET_BYTES = 1024 * 1024;

const layDown = async (cwd: string, name: string, text: string): Promise<string> => {
  await mkdir(join(cwd, FOLDER), { recursive: true });
  await writeFile(join(cwd, FOLDER, '..', '.gitignore'), '*\n');
  await writeFile(join(cwd, FOLDER, name), text);
  return join(FOLDER, name);
};

export const addressByMessages = async (
  { repository, cwd, run, signal }: MessagesRunDeps,
  talk: Talk,
  what: FindingsPacket | { readonly title: string; readonly text: string },
): Promise<string | null> => {
  const packet = 'packet_id' in what ? what : packetOfText(talk, what);
  const path = await layDown(cwd, `${talk.round}-findings.yaml`, printPacket(packet));
  const { stdout, failed } = await run(printMessage(feedbackOf(talk, packet, path)));
  if (failed !== null) return failed;
  const head = await repository.ask(['rev-parse', 'HEAD'], { cwd }, signal);
  return whyNotAddressed(stdout, { round: talk.round, head });
};

type Reviewed = { readonly failed: string | null; readonly read: ReadVerdict; readonly packet: FindingsPacket | null };

const violated = (reason: string): Reviewed => ({ failed: null, packet: null, read: { kind: 'violation', reason } });

type Packet = { readonly file: string; readonly text: string };

/** Null when the work tree has no such file. Resolves symbolic links, because their targets may be outside the work tree. */
const readPacket = async (cwd: string, path: string): Promise<Packet | null> => {
  try {
    const file = await realpath(join(cwd, path));
    if (!file.startsWith(`${await realpath(cwd)}/`)) return null;
    const text = await readFile(file);
    return text.length > MAX_PACKET_BYTES ? null : { file, text: text.toString('utf8') };
  } catch {
    return null;
  }
};

/**
 * Removes a packet that the reviewer wrote into the work tree, so that it is not committed as work. Keeps files that git
 * tracks and files that existed before the review began.
 */
const takeAway = async (
  { repository, cwd, signal }: MessagesRunDeps,
  { file, beganMs }: { readonly file: string; readonly beganMs: number },
): Promise<void> => {
  if ((await stat(file)).birthtimeMs < beganMs) return;
  const known = await repository.try(['ls-files', '--error-unmatch', '--', file], { cwd }, signal);
  if (known.exitCode === 0) return;
  await rm(file);
  if (dirname(file) !== (await realpath(cwd))) await rmdir(dirname(file)).catch(() => {});
};

export const reviewByMessages = async (
  deps: MessagesRunDeps,
  talk: Talk,
  asked: { readonly context: string; readonly summary: string; readonly maxRuntimeS: number },
): Promise<Reviewed> => {
  const context = await layDown(deps.cwd, `${talk.round}-context.md`, asked.context);
  const beganMs = (await stat(join(deps.cwd, context))).mtimeMs;
  const { stdout, failed } = await deps.run(printMessage(requestMessageOf(talk, { ...asked, context })));
  if (failed !== null) return { ...violated('it failed'), failed };
  const answer = readReviewMessage(stdout, talk.round);
  if (answer.kind === 'violation') return violated(answer.reason);
  if (answer.kind === 'pass') {
    return {
      failed,
      packet: null,
      read: { kind: 'verdict', verdict: { verdict: 'pass', followUpPrompt: answer.summary } },
    };
  }
  const packet = await readPacket(deps.cwd, answer.packet);
  if (packet === null) return violated(`there is no findings packet at ${answer.packet}`);
  const reading = parseFindingsPacket(packet.text);
  if (reading.kind === 'refused')
    return violated(`the findings packet: ${reading.problems[0]?.field} ${reading.problems[0]?.message}`);
  await takeAway(deps, { file: packet.file, beganMs });
  const read = verdictOfPacket(reading.packet, { round: talk.round, blocking: answer.blocking });
  return { failed, packet: reading.packet, read };
};
