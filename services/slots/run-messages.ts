/** Runs an agent that speaks messages: lays its packet down where it can read it, and reads the one that it wrote. */
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
  /** The slot's work tree. */
  readonly cwd: string;
  /** Contract: runs the agent with this on standard input; `failed` as `run-agent.ts` has it. */
  readonly run: (input: string) => Promise<{ readonly stdout: string; readonly failed: string | null }>;
  readonly signal: AbortSignal;
};

/** Ignored by git, so that it is no part of the work. */
const FOLDER = join('.fixpoint', 'loop', 'packets');
const MAX_PACKET_BYTES = 1024 * 1024;

const layDown = async (cwd: string, name: string, text: string): Promise<string> => {
  await mkdir(join(cwd, FOLDER), { recursive: true });
  await writeFile(join(cwd, FOLDER, '..', '.gitignore'), '*\n');
  await writeFile(join(cwd, FOLDER, name), text);
  return join(FOLDER, name);
};

/** Null when it went well. */
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

/** Null: there is no file of that name within the work tree; a link may lead out of it. */
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
 * A packet that the reviewer put among the files of the work is taken away again: it is an answer, not work. A file that
 * git knows, or that was there before he began, is not his.
 */
const takeAway = async (
  { repository, cwd, signal }: MessagesRunDeps,
  { file, beganMs }: { readonly file: string; readonly beganMs: number },
): Promise<void> => {
  if ((await stat(file)).birthtimeMs < beganMs) return;
  const known = await repository.try(['ls-files', '--error-unmatch', '--', file], { cwd }, signal);
  if (known.exitCode === 0) return;
  await rm(file);
  // His folder goes with it; one that holds something else stays.
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
