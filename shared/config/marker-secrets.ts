import { demand, type Secrets } from './secrets.ts';

/** The first one signs, all of them are accepted: during a rotation the previous one still proves old comments. */
export const markerSecretsOf = (secrets: Secrets): readonly [string, ...string[]] => {
  const { current, previous } = demand(secrets.marker, 'marker_secret');
  return previous === null ? [current] : [current, previous];
};
