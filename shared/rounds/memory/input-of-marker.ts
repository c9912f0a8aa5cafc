import type { InputMarker, SummaryMarker } from '../model/marker-payload.ts';
import type { Input } from '../model/input.ts';

/** A marker stores the merge base as `mergeBase`, because its field `base` has another meaning. */
export const inputOfMarker = ({ head, target, targetHead, mergeBase }: InputMarker): Input => ({
  head,
  target,
  targetHead,
  base: mergeBase,
});

export const parkedBy = (marker: SummaryMarker | undefined): (Input & { readonly retryAtMs: number }) | null =>
  marker?.phase !== 'failed' || marker.retryAt === undefined
    ? null
    : { ...inputOfMarker(marker), retryAtMs: marker.retryAt * 1000 };
