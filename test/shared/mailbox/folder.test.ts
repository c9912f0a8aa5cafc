import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listMessages, putMessage } from '../../../shared/mailbox/folder.ts';
import { byUrgency, isExpired, messageFileName } from '../../../shared/protocol/mailbox-order.ts';
import { printMessage } from '../../../shared/protocol/print-message.ts';
import { EXAMPLES, example } from '../protocol/examples.ts';
import { temporaryFolder } from '../workspace/repository.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(() => folder.dispose());

const request = example('review_request');

describe('a folder of messages', () => {
  it('gets one file per message, named by time, sender and type, and nothing half-written', async () => {
    const box = join(folder.path, 'ann', 'outbox');
    const { kind, file } = await putMessage(box, request);
    expect([kind, file]).toEqual(['stored', messageFileName(request)]);
    expect(file).toMatch(/^20300105090000_ann_review_request_[0-9a-f]{4}\.yaml$/);
    expect(await readdir(box)).toEqual([file]);
    expect(await readFile(join(box, file), 'utf8')).toBe(printMessage(request));
  });

  it('takes the same message twice as one', async () => {
    await putMessage(folder.path, request);
    expect((await putMessage(folder.path, request)).kind).toBe('known');
    expect(await readdir(folder.path)).toHaveLength(1);
  });

  it('never overwrites another message', async () => {
    await putMessage(folder.path, request);
    const other = { ...request, subject: 'Another one' };
    await expect(putMessage(folder.path, other)).rejects.toMatchObject({ code: 'MAILBOX_CONFLICT' });
    expect(await listMessages(folder.path)).toMatchObject([{ reading: { message: { subject: request.subject } } }]);
  });

  it('keeps every message of many writers at once whole', async () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ ...request, id: `m-${index % 20}` }));
    await Promise.all(many.map(async (message) => putMessage(folder.path, message)));
    const entries = await listMessages(folder.path);
    expect(entries.map(({ reading }) => reading.kind)).toEqual(Array.from({ length: 20 }, () => 'message'));
  });

  it('shows what is not valid with its problems, and looks at nothing but files that say that they are YAML', async () => {
    await writeFile(join(folder.path, 'a.yaml'), EXAMPLES.review_lgtm);
    await writeFile(join(folder.path, 'b.yml'), 'id: 1\n');
    await writeFile(join(folder.path, '.c.yaml'), 'hidden');
    await writeFile(join(folder.path, 'd.txt'), 'text');
    await mkdir(join(folder.path, 'e.yaml'));
    await symlink(join(folder.path, 'd.txt'), join(folder.path, 'f.yaml'));
    const entries = await listMessages(folder.path);
    expect(entries.map(({ file, reading }) => [file, reading.kind])).toEqual([
      ['a.yaml', 'message'],
      ['b.yml', 'refused'],
    ]);
  });

  it('reads no more of a file than a document may have', async () => {
    await writeFile(join(folder.path, 'big.yaml'), `a: "${'x'.repeat(3_000_000)}"`);
    expect(await listMessages(folder.path)).toMatchObject([
      { reading: { problems: [{ message: 'is larger than 1 MiB' }] } },
    ]);
  });

  it('says when there is no such folder', async () => {
    await expect(listMessages(join(folder.path, 'none'))).rejects.toMatchObject({ code: 'MAILBOX_UNREADABLE' });
  });
});

describe('the order of messages', () => {
  it('is P0, then P1, then the rest, the older first', () => {
    const at = (id: string, priority: 'P0' | 'P1' | 'P2' | 'P3', time: string) => ({
      ...request,
      id,
      priority,
      created_at_utc: `2030-01-05T0${time}:00:00Z`,
    });
    const messages = [
      at('e', 'P2', '4'),
      at('d', 'P3', '3'),
      at('c', 'P1', '2'),
      at('b', 'P1', '1'),
      at('a', 'P0', '9'),
    ];
    expect(messages.toSorted(byUrgency).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it.each([
    ['2030-01-05T09:00:00Z', true],
    ['2030-01-05T09:00:01Z', false],
  ])('takes a message that expires at %s as expired at nine: %s', (expires, expired) => {
    expect(isExpired({ ...request, expires_at: expires }, Date.parse('2030-01-05T09:00:00Z'))).toBe(expired);
    expect(isExpired(request, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});
