import { isGrave } from '../../rounds/model/blocking.ts';
import type { HandedOver, Thread } from '../../rounds/model/history.ts';
import { isSettled } from '../../rounds/model/thread.ts';
import { packetId } from '../findings-packet.ts';
import { HandoffPacket, handoffPath } from '../handoff-packet.ts';
import type { Clean } from './round-findings.ts';
import { whyNotInWorkspace } from '../workspace-path.ts';

export type StandingThread = Pick<Thread, 'id' | 'severity' | 'blocking' | 'title' | 'place' | 'count'> & {
  readonly settled: boolean;
};

export type HandoffInput = {
  readonly handedOver: HandedOver;
  readonly from: string;
  readonly pr: number;
  /** The topic, which is the same in all packets. */
  readonly topic: string;
  readonly webUrl: string;
  readonly beside: string | null;
  readonly standing: readonly StandingThread[];
};

export type Handoff = { readonly path: string; readonly packet: HandoffPacket };

const MAX_ENTRIES = 200;

const NOTHING = 'none';

const line = (text: string, clean: Clean): string =>
  clean(text).replaceAll(/\s+/g, ' ').trim().slice(0, 500) || NOTHING;

/** Every list of the document needs an entry, so an empty list gets a placeholder. */
const orNothing = <Entry>(entries: readonly Entry[], nothing: Entry): Entry[] =>
  entries.length === 0 ? [nothing] : entries.slice(0, MAX_ENTRIES);

export const standingThreads = (threads: readonly Thread[]): readonly StandingThread[] =>
  threads
    .filter(({ state }) => state !== 'resolved' && state !== 'dismissed')
    .map((thread) => ({ ...thread, settled: isSettled(thread) }));

export const handoffOf = (input: HandoffInput, clean: Clean): Handoff => {
  const path = pathOf(input);
  const { standing, handedOver, webUrl, beside } = input;
  const reason = handedOver.reason.replaceAll('_', ' ');
  const blocking = standing.filter((thread) => thread.blocking || isGrave(thread.severity));
  const sayThread: Say = ({ id, severity, title }) => line(`${id} (${severity}): ${title}`, clean);
  const packet = HandoffPacket.parse({
    source_agent: input.from,
    target_agent: humanBeside(input.from),
    intent: line(`Continue where the review of ${handedOver.head} stopped: ${reason}`, clean),
    artifacts_to_review: [line(webUrl, clean), ...(beside === null ? [] : [beside])],
    definition_of_done: orNothing(
      blocking.map((thread) => `${sayThread(thread)} is resolved or dismissed`),
      'A human has reviewed the newest head',
    ),
    context_bundle: {
      files_touched: orNothing(filesOf(standing, sayThread), {
        path: beside ?? path,
        rationale: 'No open finding names a file',
      }),
      decisions_made: orNothing(
        standing.filter(({ settled }) => settled).map((thread) => decisionOf(thread, sayThread)),
        { decision: `Stopped in round ${handedOver.review}`, alternatives_considered: ['One more round'] },
      ),
      blockers_hit: orNothing(
        blocking.map((thread) => blockerOf(thread, sayThread)),
        { blocker: line(reason, clean), workarounds_attempted: [NOTHING] },
      ),
      suggested_next_steps: ['Push a new head', 'Review and decide by hand', 'Close the change request'],
    },
  });
  return { path, packet };
};

const pathOf = ({ handedOver, from, pr, topic }: HandoffInput): string => {
  const { atMs, head, review: round } = handedOver;
  const dayUtc = new Date(atMs).toISOString().slice(0, 10).replaceAll('-', '');
  return handoffPath(packetId({ dayUtc, topic: `${pr}-${head.slice(0, 12)}-${topic}`, owner: from, round }));
};

/** The recipient is a person, whose name must differ from the sender's name. */
const humanBeside = (from: string): string => (from === 'operator' ? 'human-operator' : 'operator');

type Say = (thread: StandingThread) => string;

const decisionOf = (thread: StandingThread, say: Say) => ({
  decision: `${say(thread)} was handed to a human`,
  alternatives_considered: ['One more answer in its thread'],
});

const blockerOf = (thread: StandingThread, say: Say) => ({
  blocker: say(thread),
  workarounds_attempted: [`Handled ${thread.count} times in its thread`],
});

const filesOf = (threads: readonly StandingThread[], say: Say) => {
  const rationales = new Map<string, string>();
  for (const thread of threads) {
    const { path } = thread.place;
    if (whyNotInWorkspace(path) !== null) continue;
    rationales.set(path, [...(rationales.has(path) ? [rationales.get(path)] : []), say(thread)].join('; '));
  }
  return [...rationales].map(([path, rationale]) => ({ path, rationale: rationale.slice(0, 2000) }));
};
