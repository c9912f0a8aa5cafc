import { readMarkers } from '../../shared/rounds/memory/marker.ts';

/** Whether Fixpoint wrote an unpublished comment: it has markers, and all of them have a valid signature. */
export const isOurs = (body: string, secrets: readonly string[]): boolean => {
  const readings = readMarkers(body, secrets);
  return readings.length > 0 && readings.every(({ kind }) => kind === 'valid');
};
