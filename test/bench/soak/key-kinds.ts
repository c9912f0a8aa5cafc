/** The kinds of keys in Redis, and which of them may have no expiry. */
import { QueueKeys } from 'bullmq';
import { QUEUES } from '../../../shared/queue/contracts.ts';
import { createKeys } from '../../../shared/store/keys.ts';

export type KeyKind = {
  /** Such as `cr:*:state` or `queue: job`; keys that are in no list here are of the kind `unknown: …`. */
  readonly kind: string;
  /** The job to which the key belongs. Null for all other keys. */
  readonly job: { readonly queue: string; readonly id: string } | null;
};

/**
 * What follows the first word of a key of `keys.ts`. `id`: an id, which may contain colons. `id and what`: an id without a
 * colon, then the name of what is stored, then perhaps another id. `what`: only such a name. `nothing`: the word is the key.
 */
type Rest = 'id' | 'id and what' | 'what' | 'nothing';

const OWN: Readonly<Record<string, Rest>> = {
  delivery: 'id',
  dedupKey: 'id',
  cr: 'id and what',
  run: 'id and what',
  transcript: 'id',
  plan: 'id',
  seen: 'id',
  called: 'id',
  mailbox: 'id',
  'mailbox-ids': 'id',
  'mail-index': 'id',
  'asked-unknown': 'id',
  delivered: 'id',
  suspects: 'id and what',
  waited: 'id',
  outages: 'nothing',
  mistakes: 'nothing',
  episode: 'id',
  about: 'id',
  sending: 'id',
  board: 'what',
  'console-session': 'id',
  ready: 'nothing',
  numbers: 'what',
  identity: 'id',
  question: 'id',
  notes: 'id',
  project: 'id and what',
  place: 'id and what',
  forge: 'id and what',
  // Of the budgets and the record of spending, in `budget-ledger.ts` and `spending-record.ts`.
  reserved: 'id',
  spent: 'id',
  spending: 'id',
};

const ownKind = (head: string, parts: readonly string[]): string => {
  const rest = OWN[head];
  switch (rest) {
    case 'id':
      return `${head}:*`;
    case 'what':
      return `${head}:${parts.join(':')}`;
    case 'id and what':
      return `${head}:*:${parts[1] ?? ''}${parts.length > 2 ? ':*' : ''}`;
    case 'nothing':
      return head;
    case undefined:
      return `unknown: ${head}`;
    default:
      return rest satisfies never;
  }
};

/** The keys that the library has once per queue. */
const PER_QUEUE: ReadonlySet<string> = new Set(Object.keys(new QueueKeys().getKeys('any')));
const QUEUE_NAMES: ReadonlySet<string> = new Set(Object.values(QUEUES).map(({ name }) => name));
const OF_JOB: ReadonlySet<string> = new Set(['lock', 'logs', 'dependencies', 'processed', 'failed', 'unsuccessful']);
/** The job of a schedule is named `repeat:schedule:time`. */
const PARTS_OF_SCHEDULED_JOB = 3;

const queueKind = (queue: string, parts: readonly string[]): KeyKind => {
  const [first = ''] = parts;
  if (parts.length === 1 && PER_QUEUE.has(first)) return { kind: `queue: ${first}`, job: null };
  if (first === 'repeat' && parts.length < PARTS_OF_SCHEDULED_JOB) return { kind: 'queue: schedule', job: null };
  if (first !== 'repeat' && PER_QUEUE.has(first)) return { kind: `queue: ${first}:*`, job: null };
  const last = parts.at(-1) ?? '';
  const isPart = parts.length > 1 && OF_JOB.has(last);
  const id = (isPart ? parts.slice(0, -1) : parts).join(':');
  return { kind: isPart ? `queue: job:${last}` : 'queue: job', job: { queue, id } };
};

export const kindOfKey = (key: string, prefix: string): KeyKind => {
  const start = `${createKeys(prefix).queues}:`;
  if (!key.startsWith(start)) return { kind: 'unknown: without the prefix', job: null };
  const [head = '', ...parts] = key.slice(start.length).split(':');
  return QUEUE_NAMES.has(head) ? queueKind(head, parts) : { kind: ownKind(head, parts), job: null };
};

const WITH_THE_JOB = 'removed together with its job';
const PER_STATE = 'ids of the jobs in this state, and empty without them';

/** Why each of these kinds may have no expiry. Keys of all other kinds must expire. */
export const WITHOUT_EXPIRY: ReadonlyMap<string, string> = new Map([
  ['identity:*', 'one per forge: guard must recognise the bot for as long as the forge is configured'],
  ['forge:*:hooks', 'one field per project; a report that is too old is not used'],
  ['forge:*:project-ids', 'one field per configured path, removed when the path is no longer found'],
  ['board:paused', 'one field per paused project; a pause lasts until a person ends it'],
  ['queue: meta', 'one per queue: its settings'],
  ['queue: id', 'one per queue: a counter'],
  ['queue: pc', 'one per queue: a counter of prioritized jobs'],
  ['queue: marker', 'one per queue: wakes its workers'],
  ['queue: events', 'one per queue: a stream that the library cuts at 10,000 entries'],
  ['queue: stalled', 'one per queue: the active jobs at the last check'],
  ['queue: repeat', 'one per queue: its schedules'],
  ['queue: schedule', 'one per schedule: the sweep'],
  ['queue: wait', PER_STATE],
  ['queue: active', PER_STATE],
  ['queue: paused', PER_STATE],
  ['queue: delayed', PER_STATE],
  ['queue: prioritized', PER_STATE],
  ['queue: waiting-children', PER_STATE],
  ['queue: completed', 'ids of jobs, removed together with them'],
  ['queue: failed', 'ids of jobs, removed together with them'],
  [
    'queue: job',
    'removed some time after it has ended (`keepCompletedS`, `keepFailedS`), when another job of the queue ends',
  ],
  ['queue: job:dependencies', WITH_THE_JOB],
  ['queue: job:processed', WITH_THE_JOB],
  ['queue: job:failed', WITH_THE_JOB],
  ['queue: job:unsuccessful', WITH_THE_JOB],
]);
