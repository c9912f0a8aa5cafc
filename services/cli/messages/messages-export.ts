/** `fixpoint messages export`: the rounds of a change request, or one local review, as messages and packets. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole, putMessage } from '../../../shared/mailbox/folder.ts';
import { ESCALATIONS } from '../../../shared/protocol/bodies.ts';
import { packetPath } from '../../../shared/protocol/findings-packet.ts';
import type { Exported } from '../../../shared/protocol/round/history-messages.ts';
import { printPacket } from '../../../shared/protocol/packet-text.ts';
import { printMessage } from '../../../shared/protocol/print-message.ts';
import { agentName, answerOfRound } from '../../../shared/protocol/round/round-messages.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { escapeForTerminal } from '../../../shared/text/visible.ts';
import { messagesOfChangeRequest } from './messages-history.ts';
import { findingsOfOutput } from './messages-local.ts';
import { parseReference } from '../terminal/reference.ts';
import { ReviewOutput } from '../review/review-output.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type ExportOptions = {
  readonly config?: string;
  readonly out?: string;
  readonly pr: number;
  readonly author: string;
};

const LOOKS_LIKE_REFERENCE = /^[a-z0-9][a-z0-9-]*\/\d+\/\d+$/;

export const exportMessages = async (what: string, options: ExportOptions, nowMs: number): Promise<number> => {
  const exported = LOOKS_LIKE_REFERENCE.test(what)
    ? await messagesOfChangeRequest(parseReference(what), options.config)
    : await messagesOfLocalReview(what, options, nowMs);
  if (options.out === undefined) {
    const text = printExported(exported);
    process.stdout.write(process.stdout.isTTY ? escapeForTerminal(text) : text);
    return 0;
  }
  for (const file of await writeExported(options.out, exported)) process.stdout.write(`${file}\n`);
  return 0;
};

const messagesOfLocalReview = async (file: string, options: ExportOptions, nowMs: number): Promise<Exported> => {
  const output = ReviewOutput.safeParse(await readJson(file));
  if (!output.success) throw new UsageError(`${file}: is not output of "fixpoint review --format json"`);
  const redact = createRedactor([]);
  const clean = (raw: string): string => redact(raw).text;
  const result = {
    round: 1,
    // A local review has no round limit.
    maxRounds: Number.MAX_SAFE_INTEGER,
    findings: findingsOfOutput(output.data, clean),
    judgement: { verdict: output.data.verdict, reasons: [] },
    escalation: output.data.exceeded === null ? null : ESCALATIONS.budget,
    owner: options.author,
  };
  const createdAtUtc = new Date(nowMs).toISOString().replace(/\.\d{3}/, '');
  const key = JSON.stringify(output.data);
  const words = { from: 'fixpoint', to: agentName(options.author), pr: options.pr, topic: 'local', createdAtUtc, key };
  const { message, packet } = answerOfRound(result, words);
  return { messages: [message], packets: [packet], handoffs: [] };
};

const readJson = async (file: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no JSON';
    throw new UsageError(`${file}: cannot be read (${reason})`);
  }
};

export const printExported = ({ messages, packets, handoffs }: Exported): string =>
  [
    ...messages.map(printMessage),
    ...packets.map(printPacket),
    ...handoffs.map(({ packet }) => printPacket(packet)),
  ].join('---\n');

/** Writes messages into `folder` and packets to the paths named in the messages. Returns the messages' file names. */
export const writeExported = async (
  folder: string,
  { messages, packets, handoffs }: Exported,
): Promise<readonly string[]> => {
  for (const packet of packets) await writeWhole(join(folder, packetPath(packet.packet_id)), printPacket(packet));
  for (const { path, packet } of handoffs) await writeWhole(join(folder, path), printPacket(packet));
  const files: string[] = [];
  for (const message of messages) files.push((await putMessage(folder, message)).file);
  return files;
};
