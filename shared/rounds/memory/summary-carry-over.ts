import type { SummaryMarker } from '../model/marker-payload.ts';

type Kept = Pick<SummaryMarker, 'base' | 'cap' | 'fixSpent' | 'placesAt'>;

/** Returns the fields that exist only in the summary's marker, for the next marker. */
export const carriedOverBy = (marker: SummaryMarker | undefined): Kept => {
  const { base = null, cap, fixSpent, placesAt } = marker ?? {};
  return {
    base,
    ...(placesAt === undefined ? {} : { placesAt }),
    ...(cap === undefined ? {} : { cap }),
    ...(fixSpent === undefined ? {} : { fixSpent }),
  };
};
