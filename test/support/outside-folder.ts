/** An external program that uses a folder, through the messages commands. */
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { fillOutbox } from '../../services/cli/messages/messages.ts';
import { listMessages, writeWhole } from '../../shared/mailbox/folder.ts';
import { handoffPathOf, MailboxMessage } from '../../shared/mailbox/mailbox-message.ts';
import { packetPath } from '../../shared/protocol/findings-packet.ts';
import { messageFileName } from '../../shared/protocol/mailbox-order.ts';
import type { ReviewMessage } from '../../shared/protocol/message.ts';
import { printPacket } from '../../shared/protocol/packet-text.ts';
import { printMessage } from '../../shared/protocol/print-message.ts';
import type { Speaker } from './outside.ts';
import { eventually } from './story-world.ts';

const exists = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Returns an HTTP-like status: 202 when the message was accepted, 409 with the reason when it was not. */
export const speakerInFolder = (folder: string, name: string): Speaker => ({
  name,
  say: async (message, packet) => {
    if (packet !== undefined) await writeWhole(join(folder, packetPath(packet.packet_id)), printPacket(packet));
    const draft = join(folder, 'drafts', `${message.id}.yaml`);
    await writeWhole(draft, printMessage(message));
    if ((await fillOutbox(join(folder, 'outbox'), [draft])) !== 0) throw new Error('it is not valid');
    const file = messageFileName(message);
    const refused = join(folder, 'outbox', 'refused', file);
    await eventually(
      `an answer to ${file}`,
      async () => (await exists(join(folder, 'outbox', 'sent', file))) || (await exists(refused)),
    );
    if (!(await exists(refused))) return { status: 202, body: {} };
    const [error = '', expected = ''] = (await readFile(`${refused}.txt`, 'utf8')).trim().split('; expected ');
    return { status: 409, body: { error, expected } };
  },
  heard: async () => {
    if (!(await exists(join(folder, 'inbox')))) return [];
    const entries = await listMessages(join(folder, 'inbox'));
    return Promise.all(
      entries.map(async ({ reading }) => {
        if (reading.kind === 'refused') throw new Error(reading.problems[0]?.message);
        return letterOf(folder, reading.message);
      }),
    );
  },
});

const letterOf = async (folder: string, message: ReviewMessage): Promise<MailboxMessage> => {
  const named = message.type === 'review_feedback' ? message.body.findings_packet : null;
  const packet = named === null ? null : parse(await readFile(join(folder, named), 'utf8'));
  const about = message.type === 'review_request' ? (message.related_packet ?? null) : null;
  const review = about === null ? null : parse(await readFile(join(folder, about), 'utf8'));
  const left = handoffPathOf(message);
  const handoff = left === null ? null : parse(await readFile(join(folder, left), 'utf8'));
  return MailboxMessage.parse({ message, packet, review, handoff });
};
