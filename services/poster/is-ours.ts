import { readMarkers } from '../../shared/rounds/memory/marker.ts';

/** Whether an unpublished text is by Fixpoint: it has markers, and all have a valid signature. */
export const isOurs = (body: string, secrets: readonly string[]): boolean => {
  const readings = readMarkers(body, secrets);
  return readings.length > 0 && readings.every(({ kind }) => kind === 'valid');
};
