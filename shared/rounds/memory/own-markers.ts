import { AppError } from '../../errors.ts';
import type { ForgeComment } from '../../forge/port-facts.ts';
import { type MarkerPayload, SummaryMarker } from '../model/marker-payload.ts';
import { keyOnForge } from '../../vocabulary/ids.ts';
import { readMarkers } from './marker.ts';
import { z } from 'zod';

export type HistoryInput = {
  readonly comments: readonly ForgeComment[];
  /** Result of `changeRequestKey`; markers of other change requests are ignored. The forge's configured id is not compared. */
  readonly key: string;
  readonly botIds: ReadonlySet<number>;
  readonly secrets: readonly string[];
  readonly remembered?: RememberedSummary | null;
};

export type OwnMarker = { readonly payload: MarkerPayload; readonly comment: ForgeComment };

/** How long a job waits until a process of the other version may take it. */
const OTHER_VERSION_MS = 60_000;

/**
 * Whoever ignored such a marker would start over and say everything twice. While two versions run, a process of the
 * other version takes the job.
 */
export class MarkerOfOtherVersionError extends AppError {
  constructor({ id }: ForgeComment) {
    super({
      code: 'MARKER_OF_OTHER_VERSION',
      message:
        'another version of Fixpoint wrote a comment of the bot, and this version cannot read its state: ' +
        'run that version or a newer one, or delete the comments of the bot on this change request to start over',
      disposition: { kind: 'retry_after', delayMs: OTHER_VERSION_MS },
      fields: { commentId: id },
    });
  }
}

/** @throws `MarkerOfOtherVersionError` if a comment of the bot has a signed marker that this version cannot read. */
export const readOwnMarkers = (
  input: HistoryInput,
): { readonly own: readonly OwnMarker[]; readonly foreign: boolean } => {
  const own: OwnMarker[] = [];
  let foreign = false;
  for (const comment of input.comments) {
    for (const reading of readMarkers(comment.body, input.secrets)) {
      if (reading.kind === 'other_version' && isByBot(comment, input)) throw new MarkerOfOtherVersionError(comment);
      if (reading.kind !== 'valid' || keyOnForge(reading.payload.cr) !== keyOnForge(input.key)) continue;
      if (isByBot(comment, input)) own.push({ payload: reading.payload, comment });
      else foreign = true;
    }
  }
  return { own, foreign };
};

const isByBot = ({ author }: ForgeComment, { botIds }: Pick<HistoryInput, 'botIds'>): boolean =>
  author !== null && botIds.has(author.id);

export type Summary = OwnMarker & { readonly payload: SummaryMarker };

export const isSummary = (marker: OwnMarker): marker is Summary => marker.payload.kind === 'summary';

export const RememberedSummary = z.object({ marker: SummaryMarker, body: z.string(), authorId: z.number().int() });
export type RememberedSummary = z.output<typeof RememberedSummary>;
