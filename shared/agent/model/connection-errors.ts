/** Classifies a failed connection by the stable error codes of Node, OpenSSL and undici, never by message text. */
import { isUntrustedCode } from '../../certificate-errors.ts';

/**
 * Error codes of a request that did not leave this machine: no address, no connection or no TLS session.
 * https://nodejs.org/docs/latest-v20.x/api/errors.html, undici/docs/docs/api/Errors.md
 */
const NOT_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|E(?:HOST|NET)(?:UNREACH|DOWN)|ENETUNREACH|EADDRNOTAVAIL|EMFILE|ENFILE|EPROTO|ERR_SSL_\w+|ERR_TLS_\w+|ERR_INVALID_URL|UND_ERR_CONNECT_TIMEOUT|UND_ERR_INVALID_ARG|UND_ERR_PRX_TLS)$/;

type Coded = { readonly code: string; readonly syscall: string | null };

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const codesOf = (error: unknown, depth = 0): readonly Coded[] => {
  if (!(error instanceof Error) || depth > 4) return [];
  const code = 'code' in error ? text(error.code) : null;
  const syscall = 'syscall' in error ? text(error.syscall) : null;
  const inner = error instanceof AggregateError ? error.errors.flatMap((one: unknown) => codesOf(one, depth + 1)) : [];
  return [...(code === null ? [] : [{ code, syscall }]), ...inner, ...codesOf(error.cause, depth + 1)];
};

/** True if the provider's certificate chain was rejected, for example a private CA, an inspecting proxy or a wrong date. */
export const untrusted = (error: unknown): boolean => codesOf(error).some(({ code }) => isUntrustedCode(code));

export const neverSent = (error: unknown): boolean =>
  codesOf(error).some(
    // ETIMEDOUT is the same code before and after connecting; only `syscall` differs.
    ({ code, syscall }) => NOT_SENT.test(code) || isUntrustedCode(code) || syscall === 'connect',
  );
