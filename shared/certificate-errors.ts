/** https://nodejs.org/docs/latest-v20.x/api/tls.html#x509-certificate-error-codes */
const UNTRUSTED =
  /^(?:UNABLE_TO_(?:GET_ISSUER_CERT|GET_ISSUER_CERT_LOCALLY|GET_CRL|GET_CRL_ISSUER|DECRYPT_CERT_SIGNATURE|DECRYPT_CRL_SIGNATURE|DECODE_ISSUER_PUBLIC_KEY|VERIFY_LEAF_SIGNATURE)|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|CERT_[A-Z_]+|CRL_[A-Z_]+|ERROR_IN_C(?:ERT|RL)_[A-Z_]+|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERR_TLS_CERT_[A-Z_]+)$/;

/** True if a certificate chain was rejected, for example because of a private CA, an inspecting proxy or a wrong date. */
export const isUntrustedCode = (code: string): boolean => UNTRUSTED.test(code);
