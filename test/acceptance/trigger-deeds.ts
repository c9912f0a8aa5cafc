/** Actions of people and bots in the rows about who may trigger, in one shape for every kind of forge. */
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import type { parseForgejo } from '../../shared/forge/forgejo/webhooks/parse-forgejo.ts';
import { NOW } from '../shared/rounds/builders.ts';
import type { Delivery } from '../sim/forgejo/world.ts';

export const OWNER = 'team';
export const BOT = 'fixpoint';
export type Level = 'none' | 'read' | 'write';

export type Change = { readonly branch: string; readonly as: string };
export type At = { readonly number: number; readonly as: string };

export type Inside = 'the body of a review' | 'an inline comment of a review' | 'an answer to an inline comment';

export type SaidInside = { readonly where: Inside; readonly body: string };

export type Deeds = {
  readonly url: string;
  readonly projectId: number;
  readonly bot: { readonly id: number; readonly token: string };
  /** `marked`: an account that the forge itself marks as a bot, if it can. The login may differ from the wish. */
  readonly join: (wish: { login: string; level: Level; marked?: boolean }) => Promise<{ id: number; login: string }>;
  readonly push: (change: Change, name: string) => Promise<void>;
  readonly open: (change: Change) => Promise<number>;
  readonly say: (at: At, body: string) => Promise<void>;
  readonly sayInside: (at: At, said: SaidInside) => Promise<void>;
  readonly rename: (at: At) => Promise<void>;
  readonly ask: (at: At) => Promise<void>;
  readonly leave: (login: string) => void;
  /** The events of all hooks since the last call. */
  readonly events: () => readonly InboxEvent[];
  readonly violations: () => readonly string[];
  readonly close: () => Promise<void>;
};

export const NEVER_SENT = 'http://127.0.0.1:9/never-sent';
export const fileOf = (name: string) => ({ [`${name}.js`]: 'two();\n' });

type Parse = typeof parseForgejo;

export const readEvents = (deliveries: readonly Pick<Delivery, 'headers' | 'body'>[], parse: Parse) => {
  let seen = 0;
  return (): readonly InboxEvent[] => {
    const fresh = deliveries.slice(seen);
    seen = deliveries.length;
    return fresh.flatMap(({ headers, body }, index) => {
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const parsed = parse(lower, JSON.parse(body));
      if (parsed.kind !== 'event') return [];
      const { kind, head, noteId, actorId, requestedReviewerId } = parsed.event;
      const id = `${seen}-${index}`;
      return [{ source: 'forge', id, atMs: NOW, kind, head, noteId, actorId, requestedReviewerId }];
    });
  };
};

export const START = { branch: 'main', files: { 'a.js': 'one();\n' }, message: 'Begin\n', author: OWNER };
