import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { exchange, type FolderClient, type FolderDeps } from '../../../services/ingress/folder-exchange.ts';
import { watchFolders } from '../../../services/ingress/watch-folders.ts';
import { createLogger } from '../../../shared/logger.ts';
import { writeWhole } from '../../../shared/mailbox/folder.ts';
import type { Delivered } from '../../../shared/mailbox/message-store.ts';
import { packetPath } from '../../../shared/protocol/findings-packet.ts';
import { messageFileName } from '../../../shared/protocol/mailbox-order.ts';
import type { ReviewMessage } from '../../../shared/protocol/message.ts';
import { printPacket } from '../../../shared/protocol/packet-text.ts';
import { printMessage } from '../../../shared/protocol/print-message.ts';
import { readDocument } from '../../../shared/protocol/read-document.ts';
import { handoffOf } from '../../../shared/protocol/round/round-handoff.ts';
import { sha } from '../../shared/rounds/builders.ts';
import { asked, feedback, lgtm } from '../../shared/protocol/asked-stage.ts';
import { example } from '../../shared/protocol/examples.ts';
import { never, temporaryFolder } from '../../shared/workspace/repository.ts';

const PLAIN = { packet: null, review: null };

const HANDOFF = {
  handedOver: { head: sha('head'), review: 3, reason: 'max_rounds_exceeded', atMs: Date.parse('2030-01-05T09:30:00Z') },
  from: 'fixpoint',
  pr: 41,
  topic: 'code-4',
  webUrl: 'http://forge.example/41',
  beside: null,
  standing: [],
};

let folder: ReturnType<typeof temporaryFolder>;
let rex: FolderClient;
let waiting: Delivered[];
let cursor: string | null;
let woken: string[];
let lines: string[];
let refuses: boolean;

beforeEach(() => {
  folder = temporaryFolder();
  rex = { name: 'rex', role: 'reviewer', forge: 'code', projectId: 4, match: null, folder: join(folder.path, 'rex') };
  [waiting, cursor, woken, lines, refuses] = [[], null, [], [], false];
});

afterEach(() => folder.dispose());

const deps = (patch: Partial<FolderDeps> = {}): FolderDeps => ({
  messageStore: {
    read: async (_box, after) => waiting.filter((letter) => after === null || letter.cursor > after),
    send: async () => ({ kind: 'accepted' }),
  },
  requestStore: {
    answer: async (_of, { message, packet }) =>
      refuses || (message.type === 'review_feedback' && packet === null)
        ? { kind: 'refused', reason: 'it does not fit', expected: 'another one' }
        : { kind: 'accepted', answer: { message: example('review_lgtm'), packet, atMs: 1 } },
  },
  mail: { read: async () => Promise.reject(new Error('not a client with patterns')) },
  rights: async ({ projectId }) => ({ forge: 'code', id: projectId ?? 0, path: null }),
  programs: [],
  ownName: 'fixpoint',
  branchOf: async () => null,
  unknown: { mayAsk: async () => true },
  wake: async (of, { type }) => void woken.push(`${of.number} ${type}`),
  loadCursor: async () => cursor,
  saveCursor: async (_box, to) => void (cursor = to),
  log: createLogger({
    service: 'ingress',
    level: 'debug',
    to: { write: (line) => void lines.push(line) },
    secrets: [],
  }),
  ...patch,
});

const look = async (patch: Partial<FolderDeps> = {}): Promise<void> => exchange(deps(patch), rex, never());

const inside = async (name: string): Promise<readonly string[]> =>
  (await readdir(join(rex.folder, name), { withFileTypes: true }))
    .filter((each) => each.isFile())
    .map(({ name: file }) => file);

const put = async (message: ReviewMessage): Promise<string> => {
  const file = messageFileName(message);
  await writeWhole(join(rex.folder, 'outbox', file), printMessage(message));
  return file;
};

describe('what is for a client', () => {
  const { request, packet: review } = asked();
  const letter = (id: string): Delivered => ({
    cursor: id,
    message: { ...request, id },
    packet: null,
    review,
    handoff: null,
  });

  it('is put into its inbox once, the packet where the message says', async () => {
    waiting = [letter('1-0'), letter('2-0')];
    await look();
    await look();
    expect(await inside('inbox')).toHaveLength(2);
    expect(await inside('packets/reviews')).toEqual([`${review.packet_id}.yaml`]);
    expect([cursor, woken]).toEqual(['2-0', []]);
  });

  it('is put beside another message with its file name, once', async () => {
    const [first, second] = [letter('1-0'), letter('2-0')];
    waiting = [first, { ...second, message: { ...second.message, id: first.message.id, subject: 'Another one' } }];
    await look();
    cursor = null;
    await look();
    const files = await inside('inbox');
    const short = messageFileName(first.message);
    expect(files.toSorted()).toEqual([
      short,
      expect.stringMatching(new RegExp(`^${short.replace('.yaml', '')}_[0-9a-f]{16}\\.yaml$`)),
    ]);
    expect(lines).toEqual([]);
  });

  it('is not put there again after it was taken away', async () => {
    waiting = [letter('1-0')];
    await look();
    const [file = ''] = await inside('inbox');
    await writeFile(join(rex.folder, 'inbox', file), 'taken');
    await look();
    expect(await readFile(join(rex.folder, 'inbox', file), 'utf8')).toBe('taken');
  });
});

describe('a hand-off', () => {
  const { message } = feedback();
  const handoff = handoffOf(HANDOFF, (text) => text);

  it('lies where the message that goes with it says', async () => {
    waiting = [
      { cursor: '1-0', ...PLAIN, message: { ...message, related_packet: handoff.path }, handoff: handoff.packet },
    ];
    await look();
    const text = await readFile(join(rex.folder, handoff.path), 'utf8');
    expect(readDocument(text)).toEqual({ kind: 'document', what: 'hand-off packet' });
    expect(await inside('inbox')).toHaveLength(1);
  });

  it.each(['../x.yaml', 'packets/handoffs/../../x.yaml', 'inbox/x.yaml'])(
    'whose message points to %s is not written',
    async (path) => {
      waiting = [{ cursor: '1-0', ...PLAIN, message: { ...message, related_packet: path }, handoff: handoff.packet }];
      await look();
      expect([await inside('packets/handoffs'), await inside('inbox')]).toMatchObject([[], { length: 1 }]);
    },
  );
});

describe('what a client puts into its outbox', () => {
  it('is taken with its packet, guard is woken, and it lies among what was sent', async () => {
    const { message, packet } = feedback();
    if (packet === null) throw new Error('no packet');
    await writeWhole(join(rex.folder, packetPath(packet.packet_id)), printPacket(packet));
    const file = await put(message);
    await look();
    await look();
    expect([await inside('outbox'), await inside('outbox/sent'), woken]).toEqual([[], [file], ['41 review_feedback']]);
  });

  it.each<[string, () => ReviewMessage, string]>([
    ['is out of order', () => ((refuses = true), lgtm().message), 'it does not fit; expected another one\n'],
    ['comes without its packet', () => feedback().message, 'it does not fit; expected another one\n'],
    ['speaks for somebody else', () => example('review_request'), 'this token may send messages only from rex\n'],
  ])('and %s lies among what was refused, with the reason beside it', async (_what, made, reason) => {
    const file = await put(made());
    await look();
    expect([await inside('outbox'), woken]).toEqual([[], []]);
    expect((await inside('outbox/refused')).toSorted()).toEqual([file, `${file}.txt`]);
    expect(await readFile(join(rex.folder, 'outbox/refused', `${file}.txt`), 'utf8')).toBe(reason);
  });

  it('and is no message is refused with the field and the line of each problem', async () => {
    await writeWhole(join(rex.folder, 'outbox', 'x.yaml'), 'id: m-1\n');
    await look();
    expect(await readFile(join(rex.folder, 'outbox/refused/x.yaml.txt'), 'utf8')).toContain('from is missing');
  });

  it('stays where it is while it cannot be kept', async () => {
    const file = await put(lgtm().message);
    const down = async (): Promise<never> => Promise.reject(new Error('down'));
    await expect(look({ wake: down })).rejects.toThrow('down');
    expect(await inside('outbox')).toEqual([file]);
    await look();
    expect(await inside('outbox/sent')).toEqual([file]);
  });
});

test('a folder that leads elsewhere is left alone', async () => {
  await mkdir(join(folder.path, 'elsewhere'));
  await mkdir(rex.folder);
  await symlink(join(folder.path, 'elsewhere'), join(rex.folder, 'inbox'));
  await expect(look()).rejects.toMatchObject({ code: 'MAILBOX_UNREADABLE' });
  expect(await readdir(join(folder.path, 'elsewhere'))).toEqual([]);
});

test('one folder that cannot be looked after does not keep the others waiting, and the watch ends when it is told to', async () => {
  await writeFile(join(folder.path, 'file'), '');
  const broken = { ...rex, name: 'max', folder: join(folder.path, 'file', 'max') };
  await put(lgtm().message);
  let seen = (): void => {};
  const taken = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const watched = deps({ wake: async () => seen() });
  const watch = watchFolders(watched, { clients: [broken, rex], everyMs: 60_000 });
  await taken;
  await watch.close();
  expect(lines.join('')).toContain('folder could not be processed');
});
