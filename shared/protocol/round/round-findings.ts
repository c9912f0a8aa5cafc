import { isGrave } from '../../rounds/model/blocking.ts';
import { readFinding } from '../../rounds/memory/finding-comment.ts';
import type { Thread } from '../../rounds/model/history.ts';
import type { FindingId } from '../../vocabulary/ids.ts';
import { cutWithNotice } from '../../text/cut.ts';
import { type Area, type FindingStatus, isStanding, type PacketFinding } from '../findings-packet.ts';
import { whyNotInWorkspace } from '../workspace-path.ts';

/** Contract: removes what must not leave the installation, such as secrets in quoted code. */
export type Clean = (text: string) => string;

/**
 * Two threads have the same id only if somebody manipulated a comment. A thread that is neither fixed nor declined is
 * then preferred.
 */
const onceEach = (findings: readonly PacketFinding[]): readonly PacketFinding[] => {
  const byId = new Map<string, PacketFinding>();
  for (const finding of findings) {
    const known = byId.get(finding.id);
    if (known === undefined || (!isStanding(known) && isStanding(finding))) byId.set(finding.id, finding);
  }
  return [...byId.values()];
};

/** Returns findings from the markers of all reviews: titles and places, without comment text. */
export const findingsOfThreads = (threads: readonly Thread[], clean: Clean): readonly PacketFinding[] =>
  onceEach(threads.map((thread) => findingOfThread(thread, clean)));

/** Returns the findings after `review` as the change request shows them: with comment text, and without dismissed findings. */
export const findingsOnForge = (threads: readonly Thread[], review: number, clean: Clean): readonly PacketFinding[] =>
  onceEach(
    threads
      .filter(({ state }) => state !== 'dismissed')
      .map((thread): PacketFinding => {
        const words = readFinding(thread.comment).prose;
        const finding = findingOfThread(thread, clean);
        return {
          ...finding,
          repro: words === '' ? finding.repro : cut(`${thread.title}\n\n${words}`, clean),
          status: thread.state === 'open' && thread.review === review ? 'open' : finding.status,
        };
      }),
  );

/** The protocol's limit for one field; a longer value is cut, with a notice. */
const MAX_TEXT = 8000;

const cut = (text: string, clean: Clean): string => cutWithNotice(clean(text), MAX_TEXT, (piece) => piece);

const findingOfThread = (thread: Thread, clean: Clean): PacketFinding => ({
  ...placeOf(thread, clean),
  severity: thread.severity,
  blocking: thread.blocking || isGrave(thread.severity),
  status: STATUS[thread.state],
  recommendation: '',
});

/** A thread that is still open in a packet of a later round was checked again and is not fixed. */
const STATUS: Readonly<Record<Thread['state'], FindingStatus>> = {
  unverified: 'needs_clarification',
  open: 'not_fixed',
  resolved: 'fixed',
  dismissed: 'not_fixed',
  vetoed: 'needs_clarification',
  escalated: 'needs_clarification',
};

const placeOf = (
  thread: Thread,
  clean: Clean,
): Omit<PacketFinding, 'severity' | 'blocking' | 'status' | 'recommendation'> & { readonly id: FindingId } => ({
  id: thread.id,
  area: areaOf(thread.place.path, thread.rule),
  file: fileOf(thread.place.path),
  line: thread.place.line,
  repro: cut(thread.title, clean),
  expected: '',
  evidence: '',
});

/** If the protocol does not allow the path, it becomes empty; the finding is kept without its place. */
export const fileOf = (path: string): string => (whyNotInWorkspace(path) === null ? path : '');

const AREAS: readonly (readonly [RegExp, Area])[] = [
  [/(?:^|\/)(?:tests?|specs?|__tests__)\/|[._-](?:test|spec)\.[^/]{1,255}$/i, 'test'],
  [/\.(?:md|rst|adoc|txt)$|(?:^|\/)docs?\//i, 'docs'],
  [/(?:^|\/)(?:Dockerfile|Makefile|\.github|\.gitlab-ci\.yml|\.forgejo)|\.tf$/, 'infra'],
  [/\.(?:json|ya?ml|toml|ini|cfg|conf)$/i, 'config'],
];

/** Determines the area from the rule that found the problem, otherwise from the path. */
export const areaOf = (path: string, rule: string | null): Area => {
  if (rule?.includes('secret') === true) return 'security';
  return AREAS.find(([pattern]) => pattern.test(path))?.[1] ?? 'code';
};
