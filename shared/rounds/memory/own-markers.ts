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

export const readOwnMarkers = (
  input: HistoryInput,
): { readonly own: readonly OwnMarker[]; readonly foreign: boolean } => {
  const own: OwnMarker[] = [];
  let foreign = false;
  for (const comment of input.comments) {
    for (const reading of readMarkers(comment.body, input.secrets)) {
      if (reading.kind !== 'valid' || keyOnForge(reading.payload.cr) !== keyOnForge(input.key)) continue;
      if (comment.author !== null && input.botIds.has(comment.author.id))
        own.push({ payload: reading.payload, comment });
      else foreign = true;
    }
  }
  return { own, foreign };
};

export type Summary = OwnMarker & { readonly payload: SummaryMarker };

export const isSummary = (marker: OwnMarker): marker is Summary => marker.payload.kind === 'summary';

export const RememberedSummary = z.object({ marker: SummaryMarker, body: z.string(), authorId: z.number().int() });
export type RememberedSummary = z.output<typeof RememberedSummary>;
