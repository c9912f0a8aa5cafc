import type { SummaryMarker } from '../model/marker-payload.ts';

type Kept = Pick<SummaryMarker, 'base' | 'cap' | 'fixSpent' | 'placesAt'>;

/** What nothing but the summary's own marker says, as it goes into the next one. */
export const carriedOverBy = (marker: SummaryMarker | undefined): Kept => {
  const { base = null, cap, fixSpent, placesAt } = marker ?? {};
  return {
    base,
    ...(placesAt === undefined ? {} : { placesAt }),
    ...(cap === undefined ? {} : { cap }),
    ...(fixSpent === undefined ? {} : { fixSpent }),
  };
};
