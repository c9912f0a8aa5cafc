import { demand, type Secrets } from '../secrets.ts';

/** The first secret is used to sign. All are accepted, so that old comments stay valid during a rotation. */
export const markerSecretsOf = (secrets: Secrets): readonly [string, ...string[]] => {
  const { current, previous } = demand(secrets.marker, 'marker_secret');
  return previous === null ? [current] : [current, previous];
};
