/**
 * Computes what the forge would show if a plan were posted, so that the same code can read a review that is only
 * printed.
 */
import type { Account, ForgeComment } from '../../../shared/forge/port-facts.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import type { MarkerPayload } from '../../../shared/rounds/model/marker-payload.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';

type Imagining = {
  readonly comments: readonly ForgeComment[];
  readonly bot: Account;
  readonly secret: string;
  readonly nowMs: number;
};

export const imaginePosted = (
  { summary, inline, replies, closures, notices }: PostPlan,
  { comments, bot, secret, nowMs }: Imagining,
): readonly ForgeComment[] => {
  const say = (text: string, marker: MarkerPayload, kind: ForgeComment['kind'] = 'conversation'): ForgeComment => ({
    id: `planned-${marker.kind}`,
    kind,
    threadId: null,
    author: bot,
    body: `${text}\n\n${signMarker(marker, secret)}`,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    place: null,
    resolved: null,
    webUrl: '',
  });
  return [
    ...comments,
    ...(summary === null ? [] : [say(summary.text, summary.marker)]),
    ...inline.map(({ text, marker }) => say(text, marker, 'inline')),
    ...[...replies, ...closures].map(({ text, marker }) => say(text, marker, 'inline')),
    ...notices.map(({ text, marker }) => say(text, marker)),
  ];
};
