import { createHash } from 'node:crypto';
import type { DraftFinding, Place } from '../../../shared/vocabulary/finding.ts';

type Identified = Pick<DraftFinding, 'path' | 'side' | 'rule' | 'title' | 'evidence'>;

/** Identifies a finding by path, title or rule, and cited code, even if its lines move. A counter distinguishes repeated code. */
export const fingerprintOf = (claim: Identified, ordinals: Map<string, number>): string => {
  const key = keyOf(claim);
  const ordinal = ordinals.get(key) ?? 0;
  ordinals.set(key, ordinal + 1);
  return hashOf(key, ordinal);
};

const keyOf = ({ path, side, rule, title, evidence }: Identified): string => {
  const subject =
    rule ??
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  return JSON.stringify([path, side, subject, evidence.replaceAll(/\s+/g, ' ').trim()]);
};

const hashOf = (key: string, ordinal: number): string =>
  createHash('sha256').update(`${key} ${ordinal}`).digest('hex').slice(0, 32);

/** `now`: the place of its lines at this head; null if they are gone. */
export type KnownThread = { readonly fingerprint: string; readonly now: Place | null };

/**
 * Returns the fingerprint of each claim of a draft. A claim at the place of a thread gets the thread's fingerprint. A claim
 * elsewhere does not get it while the thread's own code is there, because the same code at two places is two findings.
 */
export const assignFingerprints = (
  claims: readonly DraftFinding[],
  threads: readonly KnownThread[],
): readonly string[] => {
  const places = placesOf(threads);
  const groups = groupsOf(claims);
  const given = new Map<DraftFinding, string>();
  for (const [key, group] of groups) {
    const free = fingerprintsFor(key, group.length, places);
    const give = (claim: DraftFinding, suits: (at: readonly Place[]) => boolean): void => {
      const index = free.findIndex((each) => suits(places.get(each) ?? []));
      const [fingerprint] = index < 0 ? [] : free.splice(index, 1);
      if (fingerprint !== undefined) given.set(claim, fingerprint);
    };
    for (const claim of group) give(claim, (at) => at.some((place) => isAt(place, claim)));
    for (const claim of group.filter((each) => !given.has(each))) give(claim, (at) => at.length === 0);
  }
  return claims.map((claim) => given.get(claim) ?? '');
};

type Places = ReadonlyMap<string, readonly Place[]>;

/** Several threads have the same fingerprint if a finding was raised again. The list is empty if the lines of all are gone. */
const placesOf = (threads: readonly KnownThread[]): Places => {
  const places = new Map<string, Place[]>();
  for (const { fingerprint, now } of threads) {
    places.set(fingerprint, [...(places.get(fingerprint) ?? []), ...(now === null ? [] : [now])]);
  }
  return places;
};

const groupsOf = (claims: readonly DraftFinding[]): ReadonlyMap<string, readonly DraftFinding[]> => {
  const groups = new Map<string, DraftFinding[]>();
  for (const claim of claims) {
    const group = groups.get(keyOf(claim));
    if (group === undefined) groups.set(keyOf(claim), [claim]);
    else group.push(claim);
  }
  return groups;
};

/** Returns one fingerprint for each claim, and one for each thread with the same claim. */
const fingerprintsFor = (key: string, claims: number, places: Places): string[] => {
  const fingerprints: string[] = [];
  let needed = claims;
  for (let ordinal = 0; ordinal < needed; ordinal += 1) {
    const fingerprint = hashOf(key, ordinal);
    fingerprints.push(fingerprint);
    if (places.has(fingerprint)) needed += 1;
  }
  return fingerprints;
};

const isAt = (place: Place, claim: DraftFinding): boolean =>
  place.path === claim.path &&
  place.side === claim.side &&
  place.startLine <= claim.line &&
  claim.startLine <= place.line;
