/** Writes an announcement into the target URL of a commit status, and reads it back. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type CommitSha, FindingId, findingNumber, formatFindingId, keyOnForge } from '../../vocabulary/ids.ts';
import { Announcement } from '../model/run.ts';
import type { Input } from '../model/input.ts';
import { isSigned, signatureOf } from './marker.ts';

const BEGIN = '#fixpoint:1:';
/** The signature is 16 bytes as base64url. The limit on the length keeps matching fast even for a hostile URL. */
const FRAGMENT = /#fixpoint:1:([\w-]{1,2000})\.([\w-]{22})$/;

/** The commit and change request that the signature covers. */
export type AnnouncedAt = { readonly key: string; readonly head: CommitSha };

/** The fields are a short array without names, because GitLab allows only 255 characters for the whole URL. */
const Packed = z.tuple([
  z.string(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.string(),
  z.string().nullable(),
  /** 0 or 1 for a review (1: of the whole change), or the scope of a reply run: the note, then the numbers of the findings. */
  z.union([z.literal(0), z.literal(1), z.array(z.number()).min(1)]),
]);

const pack = ({ run, review, attempt, runs, superseded, until, tip, base, full, replies }: Announcement) => {
  const kind =
    replies === undefined ? (full === undefined ? 0 : 1) : [replies.note, ...replies.threads.map(findingNumber)];
  return [run, review, attempt, runs, superseded, until, tip, base, kind];
};

const unpack = (packed: unknown): Announcement | null => {
  const parsed = Packed.safeParse(packed);
  if (!parsed.success) return null;
  const [run, review, attempt, runs, superseded, until, tip, base, kind] = parsed.data;
  const fields = { run, review, attempt, runs, superseded, until, tip, base };
  const announcement = Announcement.safeParse({ ...fields, ...kindFields(kind) });
  return announcement.success ? announcement.data : null;
};

const kindFields = (kind: z.output<typeof Packed>[8]) => {
  if (kind === 0) return {};
  if (kind === 1) return { full: true };
  const [note, ...numbers] = kind;
  return { replies: { note, threads: numbers.map((number) => FindingId.safeParse(formatFindingId(number)).data) } };
};

const signedText = ({ key, head }: AnnouncedAt, payload: string): string =>
  `status ${keyOnForge(key)} ${head} ${payload}`;

/** Returns null if the URL would be longer than `maxLength` characters, or if `pageUrl` cannot have a fragment. */
export const announcementUrl = (
  announcement: Announcement,
  { at, pageUrl, secret, maxLength }: UrlWish,
): string | null => {
  if (!/^https?:\/\/[^#\s]+$/.test(pageUrl)) return null;
  const payload = Buffer.from(JSON.stringify(pack(announcement)), 'utf8').toString('base64url');
  const signature = signatureOf(signedText(at, payload), secret).toString('base64url');
  const url = `${pageUrl}${BEGIN}${payload}.${signature}`;
  return url.length > maxLength ? null : url;
};

export type UrlWish = {
  readonly at: AnnouncedAt;
  /** The address of the change request's page. */
  readonly pageUrl: string;
  readonly secret: string;
  readonly maxLength: number;
};

/** Returns null unless the URL ends with an announcement that is signed for this change request and commit. */
export const readAnnouncement = (url: string, at: AnnouncedAt, secrets: readonly string[]): Announcement | null => {
  const [, payload, signature] = FRAGMENT.exec(url.slice(-MAX_READ)) ?? [];
  if (payload === undefined || signature === undefined) return null;
  if (!isSigned(signedText(at, payload), Buffer.from(signature, 'base64url'), secrets)) return null;
  try {
    return unpack(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  } catch {
    // A signed payload that is not JSON was written by another version of Fixpoint.
    return null;
  }
};

const MAX_READ = 2_100;

const hashOf = (target: string, sha: string): string =>
  createHash('sha256').update(`${target} ${sha}`).digest('base64url').slice(0, 8);

/** Returns the input without its head, as hashes: the URL has no room for two commits and the name of a branch. */
export const hashInput = ({ target, targetHead, base }: Input): Pick<Announcement, 'tip' | 'base'> => ({
  tip: hashOf(target, targetHead),
  base: base === null ? null : hashOf(target, base),
});

/** True if the run was certainly announced for this input. The head is not compared, because the signature covers it. */
export const isAnnouncedFor = ({ tip, base }: Pick<Announcement, 'tip' | 'base'>, present: Input): boolean => {
  const now = hashInput(present);
  return tip === now.tip || (base !== null && base === now.base);
};
