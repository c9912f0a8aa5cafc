import { isGrave } from '../../../shared/rounds/model/blocking.ts';
import type { Resolvable } from '../../../shared/rounds/model/draft.ts';
import type { FindingId } from '../../../shared/vocabulary/ids.ts';
import type { ThreadAnswer } from '../../../shared/vocabulary/finding.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import type { FixedSources } from './shown-fixed.ts';
import { quotesFix } from './shown-fixed.ts';
import type { PacketThread } from '../packet/packet.ts';

export type ResolvingDraft = {
  readonly answers: readonly ThreadAnswer[];
  /** Threads whose rule checked their file completely and no longer fires. */
  readonly silent?: readonly FindingId[];
  /** P0 and P1 threads whose fix elsewhere a verifier confirmed. */
  readonly verifiedFixes?: ReadonlySet<FindingId>;
};

type Sources = FixedSources & { readonly openThreads: readonly PacketThread[] };

export const resolvableOf = async (draft: ResolvingDraft, packet: Sources, redact: Redactor): Promise<Resolvable[]> => {
  const found: Resolvable[] = [];
  for (const thread of packet.openThreads) {
    const why = whyResolvable(thread, draft) ?? (await whyElsewhere(thread, draft, { packet, redact }));
    if (why !== null) found.push({ findingId: thread.id, why });
  }
  return found;
};

const whyResolvable = (thread: PacketThread, { silent = [] }: ResolvingDraft): Resolvable['why'] | null => {
  const { id, answered, touch = { kind: 'untouched', silenced: false } } = thread;
  if (touch.kind === 'touched') return 'touched';
  if (answered === true) return 'answered';
  if (touch.silenced) return null;
  if (touch.kind === 'near') return 'near';
  return silent.includes(id) ? 'rule' : null;
};

const whyElsewhere = async (
  thread: PacketThread,
  { answers, verifiedFixes }: ResolvingDraft,
  { packet, redact }: { readonly packet: Sources; readonly redact: Redactor },
): Promise<Resolvable['why'] | null> => {
  const evidence = answers.find(({ findingId }) => findingId === thread.id)?.evidence ?? '';
  if (thread.touch?.silenced === true || evidence.trim() === '') return null;
  const isVerified = verifiedFixes?.has(thread.id) === true;
  if (isGrave(thread.severity) && !isVerified) return null;
  if (!(await quotesFix(thread, evidence, { packet, redact }))) return null;
  return isVerified ? 'verified' : 'elsewhere';
};
