/** For which names the certificates of a text are, without checking them. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]{100,20000}?)-----END CERTIFICATE-----/g;
/** Names of hosts that exist nowhere but in a network of one's own, and those of samples, as a certificate says them. What follows there begins with `0` or `1`. */
const OWN_NAME =
  /(?:^|[^\w.-])(?:\*\.)?(?:localhost|(?:[\w-]{1,60}\.){0,4}(?:local|localdomain|test|example|invalid|example\.(?:com|org|net)|dev\.local|lan|internal)|127\.0\.0\.1|(?:test|dummy|sample|example|snake ?oil|fake|demo|development)(?:[ _-](?:ca|cert(?:ificate)?|key|server|root))?)(?=[01]?(?![\w.-]))/i;

/** `own`: each certificate is for such a name, and what opens nothing in the internet is hardly worth rotating. */
export const certificatesOf = (text: string): 'none' | 'own' | 'other' => {
  if (!text.includes('-----BEGIN CERTIFICATE-----')) return 'none';
  const bodies = [...text.matchAll(CERTIFICATE)].map(([, body = '']) => body.replaceAll(/\s/g, ''));
  const isOwn = (body: string): boolean =>
    OWN_NAME.test(
      Buffer.from(body, 'base64')
        .toString('latin1')
        .replaceAll(/[^\x20-\x7e]/g, '\n'),
    );
  return bodies.length > 0 && bodies.every(isOwn) ? 'own' : 'other';
};
