/** What the bot has signed in its own texts, read back from the forge. */
import type { FindingMarker, MarkerPayload, SummaryMarker } from '../../../shared/rounds/model/marker-payload.ts';
import { readMarkers } from '../../../shared/rounds/memory/marker.ts';

const payloadsIn = (body: string, secret: string): readonly MarkerPayload[] =>
  readMarkers(body, [secret]).flatMap((reading) => (reading.kind === 'valid' ? [reading.payload] : []));

export const findingIn = (body: string, secret: string): FindingMarker | null =>
  payloadsIn(body, secret).find((payload) => payload.kind === 'finding') ?? null;

export const summaryIn = (body: string, secret: string): SummaryMarker | null =>
  payloadsIn(body, secret).find((payload) => payload.kind === 'summary') ?? null;
