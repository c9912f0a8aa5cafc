import { readMarkers } from '../../shared/rounds/memory/marker.ts';

/** Whether an unpublished text is Fixpoint's own: all markers in it are signed by it. */
export const isOurs = (body: string, secrets: readonly string[]): boolean => {
  const readings = readMarkers(body, secrets);
  return readings.length > 0 && readings.every(({ kind }) => kind === 'valid');
};
