/** Classifies a failed connection by the stable error codes of Node, OpenSSL and undici, never by message text. */

/**
 * Error codes of a request that did not leave this machine: no address, no connection or no TLS session.
 * https://nodejs.org/docs/latest-v20.x/api/errors.html, undici/docs/docs/api/Errors.md
 */
const NOT_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|E(?:HOST|NET)(?:UNREACH|DOWN)|ENETUNREACH|EADDRNOTAVAIL|EMFILE|ENFILE|EPROTO|ERR_SSL_\w+|ERR_TLS_\w+|ERR_INVALID_URL|UND_ERR_CONNECT_TIMEOUT|UND_ERR_INVALID_ARG|UND_ERR_PRX_TLS)$/;

/** https://nodejs.org/docs/latest-v20.x/api/tls.html#x509-certificate-error-codes */
const UNTRUSTED =
  /^(?:UNABLE_TO_(?:GET_ISSUER_CERT|GET_ISSUER_CERT_LOCALLY|GET_CRL|GET_CRL_ISSUER|DECRYPT_CERT_SIGNATURE|DECRYPT_CRL_SIGNATURE|DECODE_ISSUER_PUBLIC_KEY|VERIFY_LEAF_SIGNATURE)|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|CERT_[A-Z_]+|CRL_[A-Z_]+|ERROR_IN_C(?:ERT|RL)_[A-Z_]+|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERR_TLS_CERT_[A-Z_]+)$/;

type Coded = { readonly code: string; readonly syscall: string | null };

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const codesOf = (error: unknown, depth = 0): readonly Coded[] => {
  if (!(error instanceof Error) || depth > 4) return [];
  const code = 'code' in error ? text(error.code) : null;
  const syscall = 'syscall' in error ? text(error.syscall) : null;
  const inner = error instanceof AggregateError ? error.errors.flatMap((one: unknown) => codesOf(one, depth + 1)) : [];
  return [...(code === null ? [] : [{ code, syscall }]), ...inner, ...codesOf(error.cause, depth + 1)];
};

export const isUntrustedCode = (code: string): boolean => UNTRUSTED.test(code);

/** True if the provider's certificate chain was rejected, for example a private CA, an inspecting proxy or a wrong date. */
export const untrusted = (error: unknown): boolean => codesOf(error).some(({ code }) => isUntrustedCode(code));

export const neverSent = (error: unknown): boolean =>
  codesOf(error).some(
    // ETIMEDOUT is the same code before and after connecting; only `syscall` differs.
    ({ code, syscall }) => NOT_SENT.test(code) || UNTRUSTED.test(code) || syscall === 'connect',
  );
