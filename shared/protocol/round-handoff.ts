/** The hand-off packet of a change request on which the bot has stopped: what a human needs to go on. */
import type { Thread } from '../rounds/history.ts';
import { HandoffPacket } from './handoff-packet.ts';
import { isGrave } from '../rounds/blocking.ts';
import { whyNotInWorkspace } from './workspace-path.ts';
import type { Clean } from './round-findings.ts';

export type HandoffInput = {
  readonly from: string;
  readonly to: string;
  /** Why the bot stopped, in plain words. */
  readonly reason: string;
  /** Where the change request is. */
  readonly artifacts: readonly string[];
  /** The findings packet of the last round. */
  readonly packetPath: string;
  readonly threads: readonly Thread[];
  readonly roundsDone: number;
};

const MAX_ENTRIES = 200;

const NOTHING = 'none';

const line = (text: string, clean: Clean): string =>
  clean(text).replaceAll(/\s+/g, ' ').trim().slice(0, 500) || NOTHING;

/** Every list of the document needs an entry: where there is nothing it says so. */
const orNothing = <Entry>(entries: readonly Entry[], nothing: Entry): Entry[] =>
  entries.length === 0 ? [nothing] : entries.slice(0, MAX_ENTRIES);

export const buildHandoffPacket = (input: HandoffInput, clean: Clean): HandoffPacket => {
  const standing = input.threads.filter(({ state }) => state !== 'resolved' && state !== 'dismissed');
  const blocking = standing.filter((thread) => thread.blocking || isGrave(thread.severity));
  const sayThread = ({ id, severity, title }: Thread): string => line(`${id} (${severity}): ${title}`, clean);
  return HandoffPacket.parse({
    source_agent: input.from,
    target_agent: input.to,
    intent: line(`Go on where the review stopped: ${input.reason}`, clean),
    artifacts_to_review: orNothing([...input.artifacts, input.packetPath], NOTHING),
    definition_of_done: orNothing(
      blocking.map((thread) => `${sayThread(thread)} is resolved or dismissed`),
      'A human has reviewed the newest head',
    ),
    context_bundle: {
      files_touched: filesOf(standing, input.packetPath, sayThread),
      decisions_made: orNothing(
        standing.filter(({ state }) => state !== 'open').map((thread) => decisionOf(thread, sayThread)),
        { decision: `Stopped after ${input.roundsDone} rounds`, alternatives_considered: ['One more round'] },
      ),
      blockers_hit: orNothing(
        blocking.map((thread) => ({
          blocker: sayThread(thread),
          workarounds_attempted: [`Handled ${thread.count} times in its thread`],
        })),
        { blocker: line(input.reason, clean), workarounds_attempted: [NOTHING] },
      ),
      suggested_next_steps: ['Push a new head', 'Review and decide by hand', 'Close the change request'],
    },
  });
};

const decisionOf = (thread: Thread, say: (thread: Thread) => string) => ({
  decision: `${say(thread)} was handed to a human (${thread.state})`,
  alternatives_considered: ['One more answer in its thread'],
});

const filesOf = (threads: readonly Thread[], packetPath: string, say: (thread: Thread) => string) => {
  const rationales = new Map<string, string>();
  for (const thread of threads) {
    const { path } = thread.place;
    if (whyNotInWorkspace(path) !== null) continue;
    rationales.set(path, [...(rationales.has(path) ? [rationales.get(path)] : []), say(thread)].join('; '));
  }
  const files = [...rationales].map(([path, rationale]) => ({ path, rationale: rationale.slice(0, 2000) }));
  return orNothing(files, { path: packetPath, rationale: 'The findings of the last round' });
};
