/** Applications that people log in with, and the codes that a forge has given out. One state per simulated world. */
import { createHash, randomBytes } from 'node:crypto';

export type Application = { readonly clientId: string; readonly secret: string; readonly redirectUri: string };

export type GivenCode = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly challenge: string;
  readonly login: string;
};

export type Oauth = {
  readonly applications: Application[];
  readonly codes: Map<string, GivenCode>;
  /** Who is logged in to the forge in the browser that comes. Null: the person refuses the application. */
  visitor: string | null;
};

const states = new WeakMap<object, Oauth>();

export const oauthOf = (world: object): Oauth => {
  const known = states.get(world) ?? { applications: [], codes: new Map(), visitor: null };
  states.set(world, known);
  return known;
};

export const register = (world: object, redirectUri: string): Application => {
  const application = {
    clientId: randomBytes(8).toString('hex'),
    secret: randomBytes(16).toString('hex'),
    redirectUri,
  };
  oauthOf(world).applications.push(application);
  return application;
};

export const fits = (challenge: string, verifier: string): boolean =>
  challenge === createHash('sha256').update(verifier).digest('base64url');

/** A code for the visitor, or the address that says that the visitor refused. */
export const answerTo = (world: object, asked: URLSearchParams, redirectUri: string): string => {
  const { visitor, codes } = oauthOf(world);
  const back = new URL(redirectUri);
  if (visitor === null) back.searchParams.set('error', 'access_denied');
  else {
    const code = randomBytes(16).toString('hex');
    codes.set(code, {
      clientId: asked.get('client_id') ?? '',
      redirectUri,
      scope: asked.get('scope') ?? '',
      challenge: asked.get('code_challenge') ?? '',
      login: visitor,
    });
    back.searchParams.set('code', code);
  }
  back.searchParams.set('state', asked.get('state') ?? '');
  return back.href;
};
